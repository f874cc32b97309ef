import Basics
import Chunking
import CloudModel
import ContainerLog
import DaemonProtocol
import DeviceSupport
import LocalMetadata
import TestSupport
import Testing
import VirtualFileSystem

@Suite("States of many paths")
struct EmblemTests {
    private func emblems(_ device: HandledDevice, _ paths: [MountPath]) async throws -> [DocumentEmblem] {
        try #require(try await device.call(EmblemsRequest(paths: paths))).emblems
    }

    @Test("each path has one state, in the order of the request, also where nothing is")
    func order() async throws {
        let device = try HandledDevice()
        try device.parts.save("a.txt", "text")
        try device.parts.save("b.txt~", "text")
        _ = try device.parts.makeFolder("d")
        let names = ["b.txt~", "gone", "d", "a.txt", "d/gone", "a.txt/inside", "gone/inside", "a.txt"]
        let paths = [MountPath.root] + (try names.map { try device.path($0) })
        #expect(
            try await emblems(device, paths) == [
                .folder, .excluded, .unknown, .waiting, .waiting, .unknown, .unknown, .unknown, .waiting,
            ])
    }

    @Test("1,000 paths are answered without a write, and one more is refused")
    func bounds() async throws {
        let device = try HandledDevice()
        try device.parts.save("a.txt", "text")
        let path = try device.path("a.txt")
        let writes = device.parts.metadata.writes
        let found = try await emblems(device, Array(repeating: path, count: EmblemsRequest.limit))
        #expect(found == Array(repeating: .waiting, count: 1_000))
        #expect(device.parts.metadata.writes == writes)
        await #expect(throws: DaemonFailure.self) {
            _ = try await emblems(device, Array(repeating: path, count: EmblemsRequest.limit + 1))
        }
    }

    @Test("a file that is being written waits to be uploaded before its close")
    func openFiles() async throws {
        let device = try HandledDevice()
        let (_, handle) = try device.parts.create("a.txt")
        defer { device.parts.files.release(handle) }
        try device.parts.write("text", to: handle)
        #expect(try await emblems(device, [try device.path("a.txt")]) == [.waiting])
    }

    @Test("quiet documents need no transaction until a row changes, a program writes or a transfer begins")
    func repeated() async throws {
        let device = try HandledDevice()
        let parts = device.parts
        var generator = SeededGenerator(seed: 1)
        for name in ["a", "b"] { try store(try parts.save(name, "text"), parts, &generator, .whole) }
        let paths = try ["a", "b"].map { try device.path($0) }
        for reads in [1, 0] as [UInt64] {
            let before = parts.metadata.costs[.reads]
            try RequestCosts.$isServing.withValue(true) {
                let found = try parts.files.emblems(of: paths.map(\.bytes)) { _ in TransferFractions() }
                #expect(found == [.here, .here])
            }
            #expect(parts.metadata.costs[.reads] == before + reads)
        }
        let moving = try parts.files.emblems(of: [paths[0].bytes]) { _ in TransferFractions(downloading: 0.5) }
        #expect(moving == [.downloading])
        let handle = try parts.files.open(try parts.node("a"), canWrite: true, truncate: true)
        defer { parts.files.release(handle) }
        try parts.write("more", to: handle)
        #expect(try await emblems(device, paths) == [.waiting, .here])
        try parts.files.setPin(.keep, of: try parts.node("b"))
        #expect(try await emblems(device, paths) == [.waiting, .pinned])
    }

    @Test("the state is the one that follows from the item's status, for random trees", arguments: 1...10)
    func sameAsStatus(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let device = try HandledDevice()
        let parts = device.parts
        var folders: [(path: String, node: NodeID)] = [("", parts.documents)]
        var names: [String] = []
        for number in 0..<40 {
            let (path, folder) = folders[generator.number(0..<folders.count)]
            let kind = generator.number(0..<4)
            let name = ["f\(number)", "d\(number)", "p\(number).rtfd", "t\(number)~"][kind]
            if kind == 1 || kind == 2 {
                folders.append((path + name + "/", try parts.makeFolder(name, in: folder)))
            } else {
                try parts.save(name, generator.bytes(generator.number(0..<9)), in: folder)
            }
            names.append(path + name)
            let node = try parts.node(name, in: folder)
            if generator.chance(60) { try store(node, parts, &generator) }
            try change(node, parts, &generator)
        }
        let paths = try names.map { try device.path($0) }
        let expected = try paths.map { path in
            let item = try #require(try parts.files.item(at: path.components.map(Array.init)))
            let status = try parts.files.status(of: item)
            return DocumentEmblem(
                status.state, isFolder: item.kind == .folder && !item.isPackage,
                isConflictVersion: status.conflictOf != nil, isPinned: status.effectivePin == .keep)
        }
        #expect(try await emblems(device, paths) == expected)
    }

    /// Gives the log a file with the device's visible content, or with different content.
    private func store(
        _ node: NodeID, _ parts: KernellessDevice, _ generator: inout SeededGenerator, _ chosen: Presence? = nil
    ) throws {
        let shown = ContentReference(digest: .of(generator.bytes(4)), size: 4, layout: .chunk)
        let isNewer = chosen == nil && generator.chance(20)
        let newest = isNewer ? ContentReference(digest: .of(generator.bytes(5)), size: 5, layout: .chunk) : shown
        let presence = chosen ?? generator.pick([Presence.none, .partial, .whole, .whole]) ?? .none
        try parts.metadata.write { transaction in
            guard var row = try transaction.local.item(node), row.kind == .file, !row.isExcluded else { return }
            (row.content, row.size, row.presence) = (shown, 4, presence)
            (row.isEdited, row.isKnown, row.pendingSince) = (false, true, nil)
            try transaction.local.update(row)
            var tree = transaction.remote(in: row.container)
            let version = VersionID(sequence: LogSequence(1), index: UInt32(node.value))
            try tree.put(
                CloudItem(
                    id: row.item, parent: .documents, name: row.name, attributes: row.attributes,
                    body: .file(.stored(newest)), version: version,
                    author: DeviceID(9), authorName: "other"))
        }
    }

    /// Changes the parts of an item's row on which its state depends.
    private func change(_ node: NodeID, _ parts: KernellessDevice, _ generator: inout SeededGenerator) throws {
        let choice = generator.number(0..<12)
        try parts.metadata.write { transaction in
            guard var row = try transaction.local.item(node) else { return }
            switch choice {
            case 0: row.pin = .keep
            case 1: row.isPaused = true
            case 2: row.uploadError = "no room"
            case 3: row.wanted = 200
            case 4: (row.isEdited, row.isKnown, row.pendingSince) = (false, true, nil)
            case 5: (row.presence, row.isEdited, row.isKnown, row.pendingSince) = (.none, false, true, nil)
            case 6: row.pin = .lazy
            default: break
            }
            try transaction.local.update(row)
        }
    }
}
