import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@testable import Sync

/// `cp -a` and `tar` set owner, mode and times of each file before they close it.
@Suite("Attributes of new files that are set before the close")
struct UnrecordedAttributeTests {
    private let timer = HeldTimer()
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice(closing: timer.closing) }

    private func request(
        permissions: UInt16? = nil, user: UInt32? = nil, modified: Timestamp? = nil, accessed: Timestamp? = nil
    ) -> AttributeRequest {
        var request = AttributeRequest()
        (request.permissions, request.user) = (permissions, user)
        request.modified = modified.map { .at($0) }
        request.accessed = accessed.map { .at($0) }
        return request
    }

    /// The parts of `stat(2)` compared by remote devices or a backup.
    private func shown(_ attributes: NodeAttributes) -> [String] {
        [
            "\(attributes.permissions)", "\(attributes.user)", "\(attributes.group)", "\(attributes.size)",
            "\(attributes.modified)", "\(attributes.accessed)",
        ]
    }

    /// The same, of a row at rest.
    private func shown(_ row: LocalItem) -> [String] {
        [
            "\(row.attributes.permissions)", "\(row.user ?? 1000)", "\(row.group ?? 1000)", "\(row.size)",
            "\(row.attributes.modified)", "\(row.accessed ?? row.attributes.modified)",
        ]
    }

    private func crash() throws {
        try Recovery(metadata: device.metadata, content: device.content, time: device.time, log: device.context.log)
            .run()
    }

    @Test("a file that is made, written and given its attributes costs one transaction, and its close has all of them")
    func oneTransaction() throws {
        let writes = device.metadata.writes
        let (attributes, handle) = try device.create("a")
        try device.write("text", to: handle)
        let node = attributes.node
        let times = (modified: Timestamp(seconds: 12), accessed: Timestamp(seconds: 13))
        let requests = [
            request(modified: times.modified, accessed: times.accessed), request(user: 33),
            request(permissions: 0o751),
        ]
        var set: NodeAttributes?
        for request in requests { set = try device.files.setAttributes(of: node, request) }
        #expect(device.metadata.writes == writes + 1)
        #expect(try device.files.attributes(of: node) == set)
        #expect(try device.files.lookup(Array("a".utf8), in: device.documents) == set)
        device.files.release(handle)
        let closed = try device.files.attributes(of: node)
        timer.fire()
        #expect(device.metadata.writes == writes + 2)
        let row = try #require(try device.row("a"))
        #expect(row.attributes.permissions == 0o751 && row.user == 33 && row.size == 4 && !row.isWriting)
        #expect(row.attributes.modified == times.modified && row.accessed == times.accessed)
        #expect(row.pendingSince != nil)
        #expect(try shown(device.files.attributes(of: node)) == shown(closed))
    }

    @Test("what a program set is there after the end of the process, also a time that no disk can store")
    func crashed() throws {
        let (attributes, handle) = try device.create("a")
        try device.write("text", to: handle)
        let ancient = Timestamp(seconds: -11_676_096_000)
        _ = try device.files.setAttributes(of: attributes.node, request(permissions: 0o400, user: 7, modified: ancient))
        #expect(try device.files.attributes(of: attributes.node).modified == ancient)
        try crash()
        let row = try #require(try device.row("a"))
        #expect(row.attributes.permissions == 0o400 && row.user == 7 && row.attributes.modified == ancient)
        #expect(row.size == 4 && !row.isWriting && row.isEdited)
    }

    @Test("attributes that are set after the close, before it is recorded, are recorded with it")
    func afterClose() throws {
        let node = try device.save("a", "text")
        let writes = device.metadata.writes
        for request in [request(modified: Timestamp(seconds: 12)), request(user: 33), request(permissions: 0o600)] {
            _ = try device.files.setAttributes(of: node, request)
        }
        #expect(device.metadata.writes == writes)
        try device.rename("a", to: "b")
        #expect(device.metadata.writes == writes + 1)
        let row = try #require(try device.row("b"))
        #expect(row.attributes.permissions == 0o600 && row.user == 33 && row.size == 4 && !row.isWriting)
        #expect(row.attributes.modified == Timestamp(seconds: 12))
        timer.fire()
        #expect(device.files.openFileCounts.all == 0)
    }

    @Test("a write after the time was set shows its own time")
    func writtenAfter() throws {
        let (attributes, handle) = try device.create("a")
        try device.write("text", to: handle)
        _ = try device.files.setAttributes(of: attributes.node, request(modified: Timestamp(seconds: 12)))
        try device.write("more text", to: handle)
        device.files.release(handle)
        timer.fire()
        let row = try #require(try device.row("a"))
        #expect(row.size == 9 && row.attributes.modified > Timestamp(seconds: 1_000_000))
    }

    @Test("attributes that are set after an opening's close was recorded are not replaced by those of its blob")
    func laterOpening() throws {
        let (attributes, handle) = try device.create("a")
        try device.write("text", to: handle)
        _ = try device.files.setAttributes(of: attributes.node, request(permissions: 0o751))
        device.files.release(handle)
        timer.fire()
        _ = try device.files.setAttributes(of: attributes.node, request(permissions: 0o600))
        let again = try device.files.open(attributes.node, canWrite: true, truncate: false)
        try device.write("more text", to: again)
        try crash()
        let row = try #require(try device.row("a"))
        #expect(row.attributes.permissions == 0o600 && row.size == 9)
    }

    @Test("a document that was opened for writing and not written is no edit after a crash, whatever its time")
    func unwritten() throws {
        let node = try device.save("a", "text")
        timer.fire()
        _ = try device.files.setAttributes(of: node, request(modified: Timestamp(seconds: -8_520_336_000)))
        try device.settle()
        let before = try #require(try device.row("a"))
        #expect(!before.isEdited && before.attributes.modified == Timestamp(seconds: -8_520_336_000))
        let handle = try device.files.open(node, canWrite: true, truncate: false)
        try crash()
        let row = try #require(try device.row("a"))
        #expect(!row.isEdited && row.content == before.content && row.attributes == before.attributes)
        device.files.release(handle)
    }

    @Test("the attributes of a document that other devices know are recorded at once")
    func known() throws {
        try device.save("a", "text")
        timer.fire()
        try device.settle()
        let node = try device.node("a")
        let handle = try device.files.open(node, canWrite: true, truncate: false)
        try device.write("more", to: handle)
        let writes = device.metadata.writes
        _ = try device.files.setAttributes(of: node, request(permissions: 0o600))
        #expect(device.metadata.writes == writes + 1)
        #expect(try device.row("a")?.attributes.permissions == 0o600)
        device.files.release(handle)
    }

    @Test("fsync makes them durable in the row")
    func synced() throws {
        let (attributes, handle) = try device.create("a")
        _ = try device.files.setAttributes(of: attributes.node, request(permissions: 0o600))
        #expect(try device.row("a")?.attributes.permissions == 0o644)
        try device.files.sync(handle)
        #expect(try device.row("a")?.attributes.permissions == 0o600 && device.metadata.isDurable)
        device.files.release(handle)
    }

    @Test("after any calls, the end of the process changes nothing of what programs saw", arguments: 1...40)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var open: [(node: NodeID, handle: OpenHandle)] = []
        let files = device.files
        func anyNode() throws -> NodeID? { random.pick(try device.rows.filter { $0.kind == .file })?.node }
        func step(_ number: Int) throws {
            switch random.number(0..<12) {
            case 0, 1:
                let (attributes, handle) = try device.create("\(number)")
                open.append((attributes.node, handle))
            case 2, 3:
                guard let file = random.pick(open) else { return }
                try device.write("text \(number)", at: UInt64(random.number(0..<20)), to: file.handle)
            case 4, 5, 6, 7:
                guard let node = try anyNode() else { return }
                let time = Timestamp(nanoseconds: Int64.random(in: 0..<2_000_000_000_000_000_000, using: &random))
                _ = try files.setAttributes(
                    of: node,
                    request(
                        permissions: random.chance(50) ? UInt16(random.number(0..<0o10000)) : nil,
                        user: random.chance(30) ? random.pick([0, 1000, .max]) : nil,
                        modified: random.chance(50) ? time : nil, accessed: random.chance(30) ? time : nil))
            case 8:
                guard let node = try anyNode() else { return }
                open.append((node, try files.open(node, canWrite: true, truncate: random.chance(30))))
            case 9:
                guard let index = open.indices.randomElement(using: &random) else { return }
                files.release(open.remove(at: index).handle)
            case 10:
                guard let file = random.pick(open) else { return }
                if random.chance(50) { try files.sync(file.handle) } else { files.noteIdleEdits(pause: .zero) }
            default:
                if random.chance(50) { return timer.fire() }
                guard let node = try anyNode(), let row = try device.metadata.item(node) else { return }
                if random.chance(70) {
                    try files.rename(
                        row.name.bytes, in: row.parent, to: Array("n \(number)".utf8), in: row.parent, mode: .replace)
                } else {
                    try device.files.removeFile(row.name.bytes, in: row.parent)
                    open.removeAll { entry in
                        guard entry.node == node else { return false }
                        files.release(entry.handle)
                        return true
                    }
                }
            }
        }
        for number in 0..<random.number(5..<80) { try step(number) }
        var before: [NodeID: [String]] = [:]
        for row in try device.rows where row.kind == .file {
            before[row.node] = shown(try files.attributes(of: row.node))
        }
        try crash()
        for row in try device.rows where row.kind == .file {
            #expect(shown(row) == before[row.node], "seed \(seed), \(row.name)")
        }
    }
}
