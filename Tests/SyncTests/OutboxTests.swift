import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests which changes are sent and when. ``BatchBuilderTests`` cover the order, within a batch, of rows a test
/// inserts.
@Suite("Outbox")
struct OutboxTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    // MARK: What is sent, and when

    @Test("a device without changes has nothing to send")
    func empty() throws {
        #expect(try device.nextBatch() == nil)
        try device.settle()
        #expect(try device.nextBatch() == nil)
        #expect(try device.unrest.isEmpty)
    }

    @Test("a change is sent after exactly the settle time, and at once if a client waits")
    func settleTime() throws {
        let device = try KernellessDevice(settle: .milliseconds(250))
        _ = try device.makeFolder("folder")
        device.time.advance(by: .nanoseconds(249_999_999))
        #expect(try device.nextBatch() == nil)
        device.context.urgency.begin()
        #expect(try device.nextBatch()?.changes.compactMap(\.created).count == 1)
        device.context.urgency.end()

        let other = try KernellessDevice(settle: .milliseconds(250))
        _ = try other.makeFolder("folder")
        other.time.advance(by: .milliseconds(250))
        #expect(try other.nextBatch()?.changes.compactMap(\.created).count == 1)
    }

    @Test("a change from before the clock was set back is sent")
    func clockSetBack() throws {
        let device = try KernellessDevice(settle: .milliseconds(250))
        _ = try device.makeFolder("folder")
        device.time.advance(by: .seconds(-3600))
        #expect(try device.nextBatch() == nil, "brought to the present, it rests first")
        device.time.advance(by: .milliseconds(250))
        #expect(try device.nextBatch()?.changes.compactMap(\.created).count == 1)
    }

    @Test("a file is not sent before its bytes are in the cloud, or while a program writes it")
    func bytesFirst() throws {
        try device.save("a", "text")
        let id = try #require(try device.row("a")).item
        #expect(try device.nextBatch()?.changes.contains { $0.item == id } != true)
        try device.settle()
        #expect(try device.remote(id)?.body.content?.reference == .of("text"))
        let handle = try device.files.open(try device.node("a"), canWrite: true, truncate: false)
        try device.write("more", at: 4, to: handle)
        try device.rename("a", to: "b")
        try device.finishUploads()
        #expect(try device.nextBatch()?.changes.contains { $0.edited == id } != true)
        device.files.release(handle)
        try device.settle()
        #expect(try device.remote(id)?.body.content?.reference == .of("textmore"))
    }

    @Test("items that are created and removed before they were sent leave nothing to send")
    func unsent() throws {
        try device.settle()
        try device.save("a", "text")
        try device.remove("a")
        try device.finishUploads()
        let changes = try device.nextBatch()?.changes ?? []
        #expect(changes.allSatisfy { $0.created == nil && $0.deleted == nil }, "\(changes)")
    }

    @Test("a file that was renamed and renamed back has nothing to send and is settled")
    func renamedBack() throws {
        let node = try device.save("a", "text")
        try device.settle()
        let id = try #require(try device.metadata.read { try $0.local.identity(of: node) })
        try device.rename("a", to: "b")
        try device.rename("b", to: "a")
        let changes = try device.nextBatch()?.changes ?? []
        #expect(!changes.contains { $0.item == id })
        try device.settle()
        #expect(try device.unrest.isEmpty)
    }

    // MARK: The order of changes

    @Test(
        "folders are created before their contents and deleted after them, in any order of local changes",
        arguments: 0..<8)
    func order(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var folders = [device.documents]
        for number in 0..<30 { folders.append(try device.makeFolder("\(number)", in: random.pick(folders))) }
        // Moves the folders once more, so that the order of their rows implies nothing about the tree.
        for _ in 0..<30 {
            let (moved, target) = (random.number(1..<31), random.number(0..<31))
            let row = try #require(try device.metadata.read { try $0.local.item(folders[moved]) })
            let name = Array(row.name.description.utf8)
            do { try device.files.rename(name, in: row.parent, to: name, in: folders[target], mode: .noReplace) } catch
            {
                // The rename fails if it would move the folder into itself.
            }
        }
        var known: Set<ItemID> = [.root, .documents]
        while let batch = try device.nextBatch() {
            for case .create(let id, let parent, _, _, _) in batch.changes {
                #expect(known.contains(parent), "seed \(seed): \(id) before its folder")
                #expect(known.insert(id).inserted, "seed \(seed): \(id) twice")
            }
            try device.fold(batch)
        }
        #expect(known.count == 32, "seed \(seed)")
        let parents = try Dictionary(uniqueKeysWithValues: device.rows.map { ($0.node, $0.parent) })
        func depth(_ node: NodeID) -> Int { parents[node].map { 1 + depth($0) } ?? 0 }
        for row in try device.rows.filter({ folders.dropFirst().contains($0.node) })
            .sorted(by: { depth($0.node) > depth($1.node) })
        {
            try device.files.removeFolder(Array(row.name.description.utf8), in: row.parent)
        }
        var gone: Set<ItemID> = []
        while let batch = try device.nextBatch() {
            for id in batch.changes.compactMap(\.deleted) {
                let parent = try #require(try device.remote(id)).parent
                #expect(!gone.contains(parent), "seed \(seed): \(id) after its folder")
                gone.insert(id)
            }
            try device.fold(batch)
        }
        #expect(gone.count == 30, "seed \(seed)")
        #expect(try device.unrest == [], "seed \(seed)")
    }

    @Test("changes that do not fit into one batch are sent in the next, each once")
    func manyBatches() throws {
        let count = BatchBuilder.limit + 5
        let documents = device.documents
        let container = try device.container
        try device.metadata.write { transaction in
            for number in 0..<count {
                var item = LocalItem(
                    container: container.id, item: .sample(UInt64(number)), parent: documents,
                    name: try ItemName("\(number)"), kind: .folder,
                    attributes: ItemAttributes(permissions: 0o755, modified: .zero, created: .zero), changed: .zero)
                item.pendingSince = .zero
                _ = try transaction.local.insert(item)
            }
        }
        let first = try #require(try Outbox(device.context).next(in: container))
        #expect(first.isFull)
        let batch = try ChangeBatch(decoding: first.payload)
        #expect(batch.changes.count == BatchBuilder.limit)
        try device.fold(batch)
        let second = try #require(try Outbox(device.context).next(in: container))
        #expect(!second.isFull)
        let rest = try ChangeBatch(decoding: second.payload)
        #expect(rest.deviceSequence == batch.deviceSequence + 1)
        let created = (batch.changes + rest.changes).compactMap(\.created)
        #expect(created.count == count && Set(created).count == count)
    }

    // MARK: A batch on its way

    @Test("the same bytes are sent until they are in the log, whatever changes locally meanwhile")
    func untilShown() throws {
        let folder = try device.makeFolder("one")
        let outbox = Outbox(device.context)
        let payload = try #require(try outbox.next(in: device.container)).payload
        try device.rename("one", to: "two")
        _ = try device.makeFolder("three", in: folder)
        device.time.advance(by: .seconds(60))
        #expect(try outbox.next(in: device.container)?.payload == payload)
        // A remote batch appended first does not change them either.
        try device.fold(.folder(1, "four"))
        #expect(try Outbox(device.context).next(in: device.container)?.payload == payload)
        try device.fold(payload: payload)
        let next = try #require(try device.nextBatch())
        #expect(
            next.changes.contains { if case .move(_, _, let name) = $0 { name.description == "two" } else { false } })
        #expect(next.changes.compactMap(\.created).count == 1)
    }

    @Test("a batch that is twice in the log counts once")
    func twice() throws {
        _ = try device.makeFolder("folder")
        try device.save("a", "text")
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        try device.fold(batch)
        let rows = try device.rows
        try device.fold(batch)
        #expect(try device.rows == rows)
        #expect(try device.unrest.isEmpty)
        #expect(try device.nextBatch() == nil)
    }

    @Test("a deletion of an item in the pending batch is sent after that batch")
    func deletedOnItsWay() throws {
        try device.save("a", "text")
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        let id = try #require(batch.changes.compactMap(\.created).first)
        try device.remove("a")
        #expect(try device.nextBatch() == batch)
        try device.fold(batch)
        #expect(try device.row("a") == nil, "the batch's return must not bring it back")
        #expect(try device.nextBatch()?.changes.compactMap(\.deleted) == [id])
        try device.settle()
        #expect(try device.remote(id) == nil)
        #expect(try device.unrest.isEmpty)
    }

    // MARK: Packages

    @Test("a package is sent when all of it is in the cloud, with the version that this device knew")
    func packages() throws {
        let package = try device.makeFolder("d.rtfd")
        try device.save("x", "one", in: package)
        #expect(try device.nextBatch()?.changes.compactMap(\.created).isEmpty != false)
        try device.settle()
        let id = try #require(try device.metadata.read { try $0.local.identity(of: package) })
        let known = try #require(try device.remote(id)?.version)
        try device.edit("x", "two", in: package)
        try device.save("y", "three", in: package)
        #expect(try device.nextBatch()?.changes.contains { $0.edited != nil || $0.created != nil } != true)
        try device.finishUploads()
        let batch = try #require(try device.nextBatch())
        #expect(batch.packages == [PackageVersion(id, known)])
        #expect(batch.changes.compactMap(\.edited).count == 1 && batch.changes.compactMap(\.created).count == 1)
    }

    @Test("a batch that the log refuses is rebuilt from the present state, with the next number, and loses nothing")
    func refused() throws {
        let package = try device.makeFolder("d.rtfd")
        try device.save("x", "one", in: package)
        try device.settle()
        let file = try #require(try device.row("x", in: package)).item
        try device.edit("x", "mine", in: package)
        try device.finishUploads()
        let mine = try #require(try device.nextBatch())
        try device.fold(.edit(file, from: "one", to: "theirs"))
        // The log may have the batch already.
        try device.fold(mine)
        let container = try device.container.id
        #expect(try device.metadata.read { try $0.pending.batch(of: container) } == nil)
        let next = try #require(try device.nextBatch())
        #expect(next.deviceSequence == mine.deviceSequence + 1)
        try device.settle()
        let shown = try Set(device.rows.compactMap(\.content))
        #expect(shown.isSuperset(of: [.of("mine"), .of("theirs")]))
        #expect(try device.unrest.isEmpty)
    }

    @Test("a package that a program writes under a claim waits until the claim ends, and delays nothing else")
    func held() throws {
        let permits = FakePermits()
        let device = try KernellessDevice(permits: permits)
        let package = try device.makeFolder("d.rtfd")
        _ = try device.makeFolder("inner", in: package)
        let other = try device.makeFolder("other")
        permits.hold(package)
        let first = try #require(try device.nextBatch())
        let otherID = try device.metadata.read { try $0.local.identity(of: other) }
        #expect(first.changes.compactMap(\.created) == [otherID].compactMap(\.self))
        #expect(permits.deferrals == 1 && permits.open == 0)
        try device.fold(first)
        permits.release()
        #expect(try device.nextBatch()?.changes.compactMap(\.created).count == 2)
        #expect(permits.open == 0)
    }

    // MARK: Key-value stores

    @Test(
        "a key that is written repeatedly is sent fifteen times, then every six seconds, and at once if a client waits"
    )
    func throttledKeys() throws {
        try device.settle()
        let container = try device.container.id
        func write(_ number: UInt8) throws -> Bool {
            try device.metadata.write {
                try $0.keyValues.set("key", to: [number], in: container, at: device.time.now())
            }
            guard let batch = try device.nextBatch() else { return false }
            try device.fold(batch)
            return batch.changes.contains { if case .setValue("key", [number], _) = $0 { true } else { false } }
        }
        for number in 1...UInt8(KeyValueThrottle.burst) { #expect(try write(number), "\(number)") }
        #expect(try !write(100))
        device.time.advance(by: KeyValueThrottle.pause - .nanoseconds(1))
        #expect(try !write(101))
        device.time.advance(by: .nanoseconds(1))
        #expect(try write(102), "the last value is the one that is sent")
        #expect(try !write(103))
        device.context.urgency.begin()
        #expect(try write(104))
    }

    @Test("throttled keys do not delay files")
    func keysApart() throws {
        try device.settle()
        let container = try device.container.id
        for number in 0...UInt8(KeyValueThrottle.burst) {
            try device.metadata.write {
                try $0.keyValues.set("key", to: [number], in: container, at: device.time.now())
            }
            if let batch = try device.nextBatch() { try device.fold(batch) }
        }
        _ = try device.makeFolder("folder")
        let batch = try #require(try device.nextBatch())
        #expect(batch.changes.compactMap(\.created).count == 1)
        #expect(!batch.changes.contains { if case .setValue = $0 { true } else { false } })
    }

    // MARK: A disk that fails

    @Test("a batch that could not be stored does not count as sent")
    func notStored() throws {
        let disk = FailingDatabase()
        let device = try KernellessDevice(onCall: disk.pass)
        _ = try device.makeFolder("folder")
        let rows = try device.rows
        disk.fail(.commit, with: Errno(ENOSPC))
        #expect(throws: Errno(ENOSPC)) { try device.nextBatch() }
        disk.heal()
        #expect(try device.rows == rows)
        #expect(try device.nextBatch()?.deviceSequence == 1)
    }

    @Test("a batch that is not durable is not sent")
    func notDurable() throws {
        let disk = FailingDatabase()
        let device = try KernellessDevice(onCall: disk.pass)
        _ = try device.makeFolder("folder")
        disk.fail(.sync, with: Errno(EIO))
        #expect(throws: Errno(EIO)) { try device.nextBatch() }
        #expect(throws: Errno(EIO), "it is stored by now, and still not durable") { try device.nextBatch() }
        disk.heal()
        #expect(try device.nextBatch()?.changes.compactMap(\.created).count == 1)
    }
}
