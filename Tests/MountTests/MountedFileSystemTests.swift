import Basics
import CFuse3
import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Fuse
@testable import Mount

/// Covers the whole path of a request except the kernel: libfuse, the readers' threads, translation, file system and reply.
@Suite("The mount without a kernel", .timeLimit(.minutes(10)))
struct MountedFileSystemTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    // MARK: Requests and replies

    @Test("the session begins by negotiating the protocol")
    func start() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            // The reader stores the agreement after it sends the reply.
            while kernel.connection.lifecycle.agreement == nil { await Task.yield() }
            #expect(kernel.connection.lifecycle.agreement?.kernelMinor == 38)
            #expect(kernel.connection.lifecycle.agreement?.passthrough == false)
        }
    }

    @Test("a file is created, written, read, renamed and removed, and is consistent at each step")
    func life() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            let (made, node, handle) = try kernel.create("a")
            #expect(made.error == 0)
            #expect(try device.node("a").value == node)
            let written = try kernel.write(node, handle, "some text")
            #expect(written.error == 0 && written.number(UInt32.self, at: 0) == 9)
            #expect(try kernel.read(node, handle).body == Array("some text".utf8))
            #expect(try kernel.read(node, handle, at: 5, size: 2).body == Array("te".utf8))
            #expect(try kernel.read(node, handle, at: 9).body.isEmpty)
            #expect(try kernel.rename("a", to: "b").error == 0)
            #expect(try kernel.release(node, handle).error == 0)
            let found = try kernel.lookup("b")
            #expect(found.number(at: 0) == node)
            #expect(found.number(at: FakeKernel.entryAttributes + 8) == 9, "its size")
            #expect(try device.text("b") == "some text")
            #expect(try device.row("b")?.isEdited == true)
            #expect(try kernel.call(.unlink, node: kernel.documents, Body("b")).error == 0)
            #expect(try device.names() == [])
        }
    }

    @Test("the lookup of an absent name is a successful reply without a node, which the kernel caches")
    func absent() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            let reply = try kernel.lookup("nothing")
            #expect(reply.error == 0 && reply.number(at: 0) == 0)
            #expect(reply.number(at: 16) == 3600, "for how long, in seconds")
        }
    }

    @Test("attributes are cached for an hour, and not at all while a program writes the file")
    func timeouts() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            let node = try device.save("a", "text").value
            let getattr = Body(0 as UInt32, 0 as UInt32, 0 as UInt64)
            #expect(try kernel.call(.getattr, node: node, getattr).number(at: 0) == 3600)
            let handle = try kernel.open(node, O_RDWR).number(at: 0)
            #expect(try kernel.call(.getattr, node: node, getattr).number(at: 0) == 0)
            #expect(try kernel.lookup("a").number(at: 24) == 0)
            _ = try kernel.release(node, handle)
            #expect(try kernel.call(.getattr, node: node, getattr).number(at: 0) == 3600)
        }
    }

    @Test("renames pass on the flags of renameat2(2), and unknown flags are refused")
    func renames() async throws {
        try device.save("a", "1")
        try device.save("b", "2")
        try await FakeKernel.with(device) { kernel async throws in
            #expect(try kernel.rename("a", to: "b", flags: 1).error == EEXIST)
            #expect(try kernel.rename("a", to: "b", flags: 2).error == 0)
            #expect(try device.text("a") == "2" && device.text("b") == "1")
            for flags in [3, 4, 8, UInt32.max] {
                #expect(try kernel.rename("a", to: "b", flags: flags).error == EINVAL)
            }
            #expect(try device.text("a") == "2" && device.text("b") == "1")
            #expect(try kernel.rename("a", to: "b").error == 0)
            #expect(try device.names() == ["b"])
        }
    }

    @Test("hard links are refused, and a folder is opened, by ENOSYS if the kernel then sends no other such request")
    func unneededRequests() async throws {
        let node = try device.save("a", "1")
        let link = Body(node.value, "b")
        let opendir = Body(0 as UInt32, 0 as UInt32)
        try await FakeKernel.with(device) { kernel async throws in
            #expect(try kernel.call(.link, node: kernel.documents, link).error == EPERM)
            #expect(try kernel.call(.opendir, node: kernel.documents, opendir).error == 0)
        }
        try await FakeKernel.with(device, minor: 44, flags: KERNEL_FUSE_NO_OPENDIR_SUPPORT) { kernel async throws in
            let writes = device.metadata.writes
            #expect(try kernel.call(.link, node: kernel.documents, link).error == ENOSYS)
            #expect(device.metadata.writes == writes)
            #expect(try kernel.call(.opendir, node: kernel.documents, opendir).error == ENOSYS)
        }
        #expect(try device.names() == ["a"])
    }

    @Test("an open with O_TRUNC empties the file, also when it is opened for reading, and setattr truncates it")
    func truncation() async throws {
        let node = try device.save("a", "text").value
        try await FakeKernel.with(device) { kernel async throws in
            #expect(try kernel.setattr(node, valid: 1 << 3, size: 2).number(at: FakeKernel.attributes + 8) == 2)
            #expect(try device.text("a") == "te")
            let handle = try kernel.open(node, O_RDONLY | O_TRUNC).number(at: 0)
            #expect(try kernel.read(node, handle).body.isEmpty)
            _ = try kernel.release(node, handle)
            #expect(try device.row("a")?.size == 0)
        }
    }

    @Test("a write with the flag to clear set-id bits clears them")
    func setID() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            let (_, node, handle) = try kernel.create("a")
            let mode = FakeKernel.attributes + 60
            #expect(try kernel.setattr(node, valid: 1, mode: 0o4755).number(UInt32.self, at: mode) & 0o7777 == 0o4755)
            _ = try kernel.write(node, handle, "x")
            #expect(try device.row("a")?.attributes.permissions == 0o4755)
            _ = try kernel.write(node, handle, "x", flags: UInt32(KERNEL_FUSE_WRITE_KILL_SUIDGID))
            #expect(try device.row("a")?.attributes.permissions == 0o755)
            _ = try kernel.release(node, handle)
        }
    }

    // MARK: Invalid requests

    @Test("unsupported and unknown operations are answered with ENOSYS, and the session continues")
    func unknownOperations() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            let unserved: [UInt32] = [0, 7, 19, 33, 34, 37, 39, 40, 48, 49, 50, 51, 52, 53, 63, 64, 255, 4097]
            for code in unserved + [UInt32(Int32.max), .max] {
                #expect(try kernel.call(code, Body([UInt8](repeating: 0, count: 64))).error == ENOSYS, "\(code)")
            }
            // A second FUSE_INIT, and CUSE_INIT, for character devices.
            for code in [26, 4096] as [UInt32] { #expect(try kernel.call(code).error == EIO, "\(code)") }
            #expect(try kernel.create("a").reply.error == 0)
        }
    }

    @Test("a handle of 0 is refused by every operation that needs a handle")
    func noHandle() async throws {
        let node = try device.save("a", "text").value
        try await FakeKernel.with(device) { kernel async throws in
            let zeros = Body([UInt8](repeating: 0, count: 56))
            #expect(try kernel.read(node, 0).error == EBADF)
            #expect(try kernel.write(node, 0, "x").error == EBADF)
            for operation in [FuseRequestCounts.Operation.fsync, .lseek, .fallocate, .copyFileRange] {
                #expect(try kernel.call(operation, node: node, zeros).error == EBADF, "\(operation)")
            }
            #expect(try kernel.release(node, 0).error == 0)
            #expect(try device.text("a") == "text")
        }
    }

    @Test(
        "a node that does not exist is ENOENT or ESTALE for every operation on nodes",
        arguments: [0, 99_999, UInt64.max])
    func unknownNode(node: UInt64) async throws {
        try await FakeKernel.with(device) { kernel async throws in
            let zeros = [UInt8](repeating: 0, count: 88)
            let replies = try [
                kernel.lookup("a", in: node), kernel.open(node), kernel.setattr(node, valid: 1),
                kernel.call(.getattr, node: node, Body(zeros)), kernel.call(.readlink, node: node),
                kernel.call(.mkdir, node: node, Body(0o755 as UInt32, 0 as UInt32, "a")),
                kernel.call(.unlink, node: node, Body("a")), kernel.call(.rmdir, node: node, Body("a")),
                kernel.call(.listxattr, node: node, Body(0 as UInt32, 0 as UInt32)),
            ]
            for (index, reply) in replies.enumerated() {
                // The reply for an absent name is a success without a node.
                let isAbsent = index == 0 && reply.error == 0 && reply.number(at: 0) == 0
                #expect(isAbsent || [ENOENT, ESTALE].contains(reply.error), "\(index): \(reply.error)")
            }
        }
    }

    @Test("any bytes but NUL and slash are a valid name", arguments: 0..<8)
    func anyName(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let name = [0xFF] + random.bytes(random.number(1..<30)).filter { $0 != 0 && $0 != UInt8(ascii: "/") }
        try await FakeKernel.with(device) { kernel async throws in
            let made = try kernel.call(.mkdir, node: kernel.documents, Body(0o755 as UInt32, 0 as UInt32, name + [0]))
            #expect(made.error == 0, "seed \(seed): \(name)")
            let found = try kernel.call(.lookup, node: kernel.documents, Body(name + [0]))
            #expect(found.number(at: 0) == made.number(at: 0) && made.number(at: 0) != 0, "seed \(seed): \(name)")
        }
    }

    @Test("invalid names are refused or absent, and nothing is created")
    func names() async throws {
        let long = String(repeating: "n", count: 256)
        try await FakeKernel.with(device) { kernel async throws in
            for name in [[], Array(".".utf8), Array("..".utf8), Array("a/b".utf8), Array(long.utf8)] {
                let bytes = name + [0]
                let lookup = try kernel.call(.lookup, node: kernel.documents, Body(bytes))
                #expect(lookup.error != EIO, "\(name)")
                let mkdir = try kernel.call(.mkdir, node: kernel.documents, Body(0o755 as UInt32, 0 as UInt32, bytes))
                #expect(mkdir.error != 0 && mkdir.error != EIO, "\(name): \(mkdir.error)")
            }
            #expect(try device.names() == [])
        }
    }

    @Test("numbers of any size get one reply each and do not end the session", arguments: 0..<12)
    func extremes(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let edges: [UInt64] = [
            0, 1, 4095, 4096, UInt64(Int32.max), UInt64(UInt32.max), 1 << 62, UInt64(Int64.max), 1 << 63, .max - 1,
            .max,
        ]
        try await FakeKernel.with(device) { kernel async throws in
            let (_, node, handle) = try kernel.create("a")
            for step in 0..<60 {
                let numbers = (0..<8).map { _ in random.chance(80) ? random.pick(edges) ?? 0 : random.next() }
                let small = numbers.map { UInt32(truncatingIfNeeded: $0) }
                let reply: FakeKernel.Reply
                switch step % 6 {
                // For two pages or more, libfuse replies with splice(2), without preserving a socket's message
                // boundaries.
                case 0: reply = try kernel.read(node, handle, at: Int64(bitPattern: numbers[0]), size: small[1] % 8192)
                case 1: reply = try kernel.write(node, handle, "x", at: Int64(bitPattern: numbers[0]))
                case 2:
                    reply = try kernel.call(.lseek, node: node, Body(handle, numbers[0], small[1], 0 as UInt32))
                case 3:
                    // Modes with real space reservation would fill the disk.
                    let mode: UInt32 = random.pick([1 << 1 | 1, 1 << 4, small[2] | 1 << 10]) ?? 3
                    reply = try kernel.call(
                        .fallocate, node: node, Body(handle, numbers[0], numbers[1], mode, 0 as UInt32))
                case 4:
                    // Lengths between these would copy gigabytes of a sparse file of the maximum size.
                    let length: UInt64 = random.pick([0, 1, 4096, 1 << 63, .max]) ?? 0
                    reply = try kernel.call(
                        .copyFileRange, node: node,
                        Body(handle, numbers[0], node, handle, numbers[1], length, numbers[3]))
                default:
                    // Sets the mode, the owner, and times with any seconds and nanoseconds.
                    reply = try kernel.setattr(
                        node, valid: small[0] & 0x1F7, seconds: Int64(bitPattern: numbers[1]), nanoseconds: small[2],
                        mode: small[3])
                }
                #expect(
                    reply.error != EIO && (0..<512).contains(reply.error), "seed \(seed), step \(step): \(reply.error)")
            }
            // The file remains as large as its row says, even if a write at a high offset made it sparse.
            let row = try kernel.lookup("a")
            #expect(row.error == 0 && row.number(at: 0) == node, "seed \(seed)")
            #expect(try kernel.release(node, handle).error == 0)
            #expect(!kernel.hasReply, "seed \(seed): a request was replied to twice")
        }
    }

    @Test("a message shorter than a header ends the session with an error")
    func shortMessage() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            try kernel.send([1, 2, 3])
            let ending = await kernel.connection.lifecycle.waitForEnd()
            if case .failed = ending {} else { Issue.record("it ended as \(ending)") }
        }
    }

    @Test("an interrupt of a request that is over, or never existed, has no effect")
    func strayInterrupt() async throws {
        try await FakeKernel.with(device) { kernel async throws in
            let (_, node, handle) = try kernel.create("a")
            try kernel.interrupt(2)
            // libfuse keeps the interrupt until the next request arrives, and then returns it to the kernel to be sent again.
            let unique = try kernel.send(
                FuseRequestCounts.Operation.read.rawValue, node: node, FakeKernel.readBody(handle, 0, 9))
            var replies = [try kernel.receive()]
            if replies[0].unique != unique { replies.append(try kernel.receive()) }
            #expect(replies.last?.unique == unique && replies.last?.error == 0)
            #expect(replies.count == 1 || replies[0].error == EAGAIN)
            _ = try kernel.release(node, handle)
        }
    }
}
