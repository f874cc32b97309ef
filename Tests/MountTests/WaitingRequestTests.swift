import Basics
import Chunking
import CloudModel
import CloudStorage
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Fuse
@testable import Mount

@Suite("Requests that wait, are interrupted, or are pending when the mount ends", .timeLimit(.minutes(10)))
struct WaitingRequestTests {
    private let backend = InMemoryBackend()
    private let device: KernellessDevice
    private let bytes = Array("the bytes of the placeholder".utf8)

    init() throws { device = try KernellessDevice(backend, patience: .seconds(600)) }

    /// Creates a placeholder with bytes in the cloud, held back until the test opens the gate.
    private func placeholder() async throws -> UInt64 {
        let content = ContentReference(digest: .of(bytes), size: UInt64(bytes.count), layout: .chunk)
        try await backend.putChunk(content.digest, frame: ChunkFrame.encode(bytes), in: .cloudDocs)
        backend.gate.hold(.getChunk)
        let node = try device.metadata.write { transaction in
            let container = try #require(try transaction.container(named: .cloudDocs))
            var item = LocalItem(
                container: container.id, item: ItemID(high: 1 << 63, low: 1), parent: device.documents,
                name: try ItemName("a"), kind: .file,
                attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero), changed: .zero)
            (item.size, item.content, item.isKnown) = (content.size, content, true)
            return try transaction.local.insert(item)
        }
        return node.value
    }

    private let read = FuseRequestCounts.Operation.read.rawValue

    @Test("a read of a placeholder waits for its bytes and blocks no other request, even with one reader thread")
    func waitingRead() async throws {
        let node = try await placeholder()
        try await FakeKernel.with(device) { kernel async throws in
            let handle = try kernel.open(node).number(at: 0)
            let unique = try kernel.send(read, node: node, FakeKernel.readBody(handle, 4, 5))
            await backend.gate.untilHeld(1)
            #expect(try kernel.lookup("a").error == 0)
            backend.gate.open()
            let reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: 0, unique: unique, body: Array("bytes".utf8)))
            _ = try kernel.release(node, handle)
        }
    }

    @Test("an interrupt ends the read with EINTR, once, and the next read gets the bytes")
    func interruptedRead() async throws {
        let node = try await placeholder()
        try await FakeKernel.with(device) { kernel async throws in
            let handle = try kernel.open(node).number(at: 0)
            let unique = try kernel.send(read, node: node, FakeKernel.readBody(handle, 0, 9))
            await backend.gate.untilHeld(1)
            try kernel.interrupt(unique)
            var reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: EINTR, unique: unique, body: []))
            // The kernel may send an interrupt more than once.
            try kernel.interrupt(unique)
            backend.gate.open()
            let again = try kernel.send(read, node: node, FakeKernel.readBody(handle, 0, 9))
            reply = try await kernel.received()
            if reply.unique != again { reply = try await kernel.received() }
            #expect(reply == FakeKernel.Reply(error: 0, unique: again, body: Array(bytes.prefix(9))))
            _ = try kernel.release(node, handle)
            #expect(!kernel.hasReply)
        }
    }

    @Test("an interrupt that overtakes its request still ends it")
    func overtaking() async throws {
        let node = try await placeholder()
        try await FakeKernel.with(device) { kernel async throws in
            let handle = try kernel.open(node).number(at: 0)
            try kernel.interrupt(1000)
            try kernel.send(read, node: node, FakeKernel.readBody(handle, 0, 9), unique: 1000)
            var reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: EINTR, unique: 1000, body: []))
            backend.gate.open()
            let again = try kernel.send(read, node: node, FakeKernel.readBody(handle, 0, 9))
            reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: 0, unique: again, body: Array(bytes.prefix(9))))
            _ = try kernel.release(node, handle)
        }
    }

    @Test(
        "of many reads that wait for one chunk each gets a reply, and interrupted ones get EINTR",
        arguments: 0..<5)
    func manyReads(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let node = try await placeholder()
        try await FakeKernel.with(device, readers: 3) { kernel async throws in
            let handle = try kernel.open(node).number(at: 0)
            let waiting = try (0..<20).map { _ in
                try kernel.send(read, node: node, FakeKernel.readBody(handle, 0, 9))
            }
            await backend.gate.untilHeld(1)
            let interrupted = Set(waiting.filter { _ in random.chance(50) })
            for unique in interrupted.shuffled(using: &random) { try kernel.interrupt(unique) }
            var errors: [UInt64: Int32] = [:]
            while errors.count < interrupted.count {
                let reply = try await kernel.received()
                #expect(errors.updateValue(reply.error, forKey: reply.unique) == nil, "seed \(seed): two replies")
            }
            #expect(Set(errors.keys) == interrupted && errors.values.allSatisfy { $0 == EINTR }, "seed \(seed)")
            backend.gate.open()
            for _ in 0..<(waiting.count - interrupted.count) {
                let reply = try await kernel.received()
                #expect(reply.body == Array(bytes.prefix(9)), "seed \(seed)")
                #expect(errors.updateValue(reply.error, forKey: reply.unique) == nil, "seed \(seed): two replies")
            }
            #expect(Set(errors.keys) == Set(waiting), "seed \(seed)")
            _ = try kernel.release(node, handle)
            #expect(!kernel.hasReply, "seed \(seed)")
        }
    }

    // MARK: Coordination

    @Test("an open waits for its permit without blocking a thread, and the permit ends when the file is open")
    func permit() async throws {
        let node = try device.save("a", "text").value
        let permits = FakePermits()
        try await FakeKernel.with(device, permits: permits) { kernel async throws in
            let unique = try kernel.send(14, node: node, Body(UInt32(O_RDWR), 0 as UInt32))
            await permits.untilAsked()
            #expect(try kernel.lookup("a").error == 0)
            #expect(!device.files.isOpen(NodeID(node)))
            permits.grant()
            let reply = try await kernel.received()
            #expect(reply.unique == unique && reply.error == 0)
            #expect(device.files.isOpen(NodeID(node)))
            _ = try kernel.release(node, reply.number(at: 0))
        }
        #expect(permits.ended == 1)
    }

    @Test(
        "a permit that does not come in time is ETIMEDOUT, and an interrupt gives it up with EINTR; no file stays open")
    func noPermit() async throws {
        let node = try device.save("a", "text").value
        let permits = FakePermits()
        try await FakeKernel.with(device, permits: permits) { kernel async throws in
            let open = Body(UInt32(O_RDWR), 0 as UInt32)
            let late = try kernel.send(14, node: node, open)
            await permits.untilAsked()
            permits.decide(.timedOut)
            var reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: ETIMEDOUT, unique: late, body: []))
            let interrupted = try kernel.send(14, node: node, open)
            await permits.untilAsked()
            try kernel.interrupt(interrupted)
            reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: EINTR, unique: interrupted, body: []))
            #expect(permits.cancelled == 1)
        }
        #expect(!device.files.isOpen(NodeID(node)) && permits.ended == 0)
    }

    @Test("an open whose program is looked up blocks no other request, even with one reader thread")
    func lookedUp() async throws {
        let node = try await placeholder()
        let resident = try device.save("b", "text").value
        let programs = FakeDownloadPermits()
        try await FakeKernel.with(device, downloads: programs) { kernel async throws in
            let open = Body(UInt32(O_RDONLY), 0 as UInt32)
            let refused = try kernel.send(14, node: node, open)
            await programs.untilAsked(1)
            #expect(try kernel.lookup("a").error == 0)
            let handle = try kernel.open(resident).number(at: 0)
            _ = try kernel.release(resident, handle)
            programs.decide(.deny)
            var reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: EAGAIN, unique: refused, body: []))

            let interrupted = try kernel.send(14, node: node, open)
            await programs.untilAsked(2)
            try kernel.interrupt(interrupted)
            reply = try await kernel.received()
            #expect(reply == FakeKernel.Reply(error: EINTR, unique: interrupted, body: []))
            programs.decide(.full)
        }
        #expect(programs.threads == [1, 1], "only opens of the placeholder, by the thread that the kernel names")
        #expect(!device.files.isOpen(NodeID(node)))
    }

    // MARK: The end of a session

    @Test("a session that is stopped with open files and waiting reads ends at once; written data is in the file")
    func stop() async throws {
        let waiting = try await placeholder()
        try await FakeKernel.with(device, readers: 3) { kernel async throws in
            let (_, node, handle) = try kernel.create("b")
            _ = try kernel.write(node, handle, "written")
            let reading = try kernel.open(waiting).number(at: 0)
            try kernel.send(read, node: waiting, FakeKernel.readBody(reading, 0, 9))
            await backend.gate.untilHeld(1)
            #expect(await kernel.stop() == .stopped)
            // No program waits for the read any longer, and its bytes must not reach another file.
            backend.gate.open()
            #expect(try device.text("b") == "written")
            #expect(try device.row("b")?.isWriting == true, "the next start finds what was edited")
        }
    }

    @Test("a program's open that ends with the session leaves no file open")
    func stopWhileOpening() async throws {
        let node = try device.save("a", "text").value
        let permits = FakePermits()
        try await FakeKernel.with(device, permits: permits) { kernel async throws in
            try kernel.send(14, node: node, Body(UInt32(O_RDWR), 0 as UInt32))
            await permits.untilAsked()
            #expect(await kernel.stop() == .stopped)
            permits.grant()
            while permits.ended == 0 { await Task.yield() }
        }
        #expect(!device.files.isOpen(NodeID(node)), "the kernel never got the handle")
    }
}
