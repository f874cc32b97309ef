import Basics
import Chunking
import CloudModel
import CloudProtocol
import ContainerLog
import Foundation
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("A server's folded logs", .eachEngine)
struct FoldedTests {
    /// Random changes of few items and names, so that they collide.
    private struct RandomLog {
        static let items = (0..<10).map { ItemID(high: 1 << 63, low: $0) } + [.root, .documents]
        var random: SeededGenerator
        var batches: [UInt64: UInt64] = [:]

        mutating func entry() throws -> [UInt8] {
            // A few entries are not batches; every device skips them.
            guard random.number(0..<20) > 0 else { return [1, 1, 0] + random.bytes(9) }
            let device = UInt64(random.number(0..<3)) * 2 + 1
            batches[device, default: 0] += 1
            let changes = try (0..<random.number(1..<5)).map { _ in try change() }
            return try ChangeBatch(
                device: DeviceID(device), deviceName: "device \(device)", deviceSequence: batches[device] ?? 1,
                time: Timestamp(seconds: Int64(1_800_000_000 + random.number(0..<1_000))), changes: changes
            ).encoded()
        }

        private mutating func change() throws -> Change {
            let item = pick()
            switch random.number(0..<7) {
            case 0, 1: return .create(item, parent: pick(), name: try name(), attributes: attributes(), body: body())
            case 2: return .edit(item, base: base(), content: content(), modified: time())
            case 3: return .move(item, parent: pick(), name: try name())
            case 4: return .setAttributes(item, AttributeChanges(permissions: 0o600, extended: ["user.a": [1, 2]]))
            case 5: return .delete(item, base: base())
            default:
                return .resolve(
                    item, versions: [VersionID(sequence: LogSequence(UInt64(random.number(1..<100))), index: 0)])
            }
        }

        private mutating func pick() -> ItemID { random.pick(Self.items) ?? .root }
        private mutating func name() throws -> ItemName {
            try ItemName(random.pick(["a", "b.txt", "c.key", "d"]) ?? "a")
        }
        private mutating func time() -> Timestamp {
            Timestamp(seconds: Int64(1_800_000_000 + random.number(0..<1_000)))
        }
        static let contents = (1...4 as ClosedRange<UInt8>).map { [$0, $0, $0] }
        private mutating func digest() -> Digest { .of(random.pick(Self.contents) ?? []) }
        private mutating func base() -> Digest? { random.chance(80) ? digest() : nil }
        private mutating func attributes() -> ItemAttributes {
            ItemAttributes(permissions: 0o644, modified: time(), created: time(), extended: ["user.b": [3]])
        }
        private mutating func content() -> FileContent {
            random.chance(20)
                ? .announced(size: 5) : .stored(ContentReference(digest: digest(), size: 3, layout: .chunk))
        }
        private mutating func body() -> ItemBody {
            switch random.number(0..<4) {
            case 0: .folder
            case 1: .symlink(target: [0x61])
            default: .file(content())
            }
        }
    }

    private func expect(
        _ view: ContainerTrees.View, toBe tree: DictionaryTree, _ comment: Comment
    ) async throws {
        for id in RandomLog.items {
            var named = id
            while let next = tree.alias(of: named) { named = next }
            let expected = tree.item(named).flatMap { $0.isDeleted ? nil : $0 }
            #expect(try await view.tree.item(id) == expected, comment)
            let children = try await view.tree.children(of: id, from: 0, limit: 100).items.map(\.id).sorted()
            #expect(children == tree.children(of: id), comment)
        }
    }

    @Test("a server folds a log like a device does, after any entries and from any position")
    func equalToDevice() async throws {
        for _ in 0..<12 {
            let seed = UInt64.random(in: 0...UInt64.max)
            try await withFolder { path in
                try await withStore(at: path) { store in
                    let account = try await store.newAccount("anna")
                    // Puts the chunks first: the server refuses entries with references to missing chunks.
                    let chunks = RandomLog.contents.map { ChunkBatch.Part(id: .of($0), frame: ChunkFrame.encode($0)) }
                    try await store.chunks.put(chunks, in: .cloudDocs, of: account)
                    var log = RandomLog(random: SeededGenerator(seed: seed))
                    var tree = DictionaryTree()
                    // A server owner's command, which folds into the same file.
                    var others = [try ServerStore(.test(path), serving: false, log: quiet)]
                    for number in 1...60 as ClosedRange<UInt64> {
                        let entry = try log.entry()
                        _ = try await store.logs.append(entry, key: nil, to: .cloudDocs, of: account)
                        if let batch = try? ChangeBatch(decoding: entry) {
                            _ = try ContainerReducer().fold(batch, at: LogSequence(number), into: &tree)
                        } else {
                            try ContainerReducer().foldVoid(at: LogSequence(number), into: &tree)
                        }
                        if log.random.chance(10) {
                            others.append(try ServerStore(.test(path), serving: false, log: quiet))
                        }
                        if log.random.chance(30) {
                            let reader = log.random.pick([store] + others) ?? store
                            let view = try await reader.trees.wholeView(of: .cloudDocs, of: account)
                            #expect(view.isComplete && view.sequence.value == number)
                            try await expect(view, toBe: tree, "seed \(seed)")
                        }
                    }
                    try await expect(store.trees.wholeView(of: .cloudDocs, of: account), toBe: tree, "seed \(seed)")
                    for other in others { try await other.close() }
                }
            }
        }
    }

    @Test("what the server appends counts in a log that came from a cloud in which a collection has begun")
    func afterCollections() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var documents = Documents(store, account, seed: 1)
            let content = documents.content(chunks: 1)
            try await documents.put(content.parts)
            let list = content.reference
            let steps = [CollectionStep.proposed(epoch: 1, list: list), .begun(epoch: 1)]
            for (index, step) in steps.enumerated() {
                let batch = ChangeBatch(
                    device: DeviceID(1), deviceName: "d", deviceSequence: UInt64(index + 1), time: .zero,
                    changes: [.collection(step)])
                _ = try await store.logs.append(batch.encoded(), key: nil, to: .cloudDocs, of: account)
            }
            let id = ItemID(high: 1 << 63, low: 1)
            let create = Change.create(
                id, parent: .documents, name: try ItemName("restored"),
                attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero),
                body: .file(.stored(list)))
            try await store.trees.append(to: .cloudDocs, of: account) { _ in ([[create]], ()) }
            let view = try await store.trees.wholeView(of: .cloudDocs, of: account)
            #expect(try await view.tree.item(id) != nil)
        }
    }

    @Test("the folded log is rebuilt after a restore from a backup, and when its file is damaged", .sqliteFileOnly)
    func rebuilt() async throws {
        try await withFolder { path in
            let (one, other) = (ItemID(high: 1 << 63, low: 1), ItemID(high: 1 << 63, low: 2))
            func create(_ item: ItemID, _ number: UInt64) throws -> [UInt8] {
                try ChangeBatch(
                    device: DeviceID(1), deviceName: "d", deviceSequence: number, time: .zero,
                    changes: [
                        .create(
                            item, parent: .documents, name: try ItemName("n\(item.low)"),
                            attributes: ItemAttributes(permissions: 0, modified: .zero, created: .zero), body: .folder)
                    ]
                ).encoded()
            }
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                _ = try await store.logs.append(create(one, 1), key: nil, to: .cloudDocs, of: account)
                let view = try await store.trees.wholeView(of: .cloudDocs, of: account)
                #expect(try await view.tree.item(one) != nil)
            }
            // Creates a different history under the same account number, as a restore does.
            try FileManager.default.removeItem(atPath: "\(path)/server.sqlite")
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: "\(path)/server.sqlite\(suffix)")
            }
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                _ = try await store.logs.append(create(other, 1), key: nil, to: .cloudDocs, of: account)
                _ = try await store.logs.append(create(one, 2), key: nil, to: .cloudDocs, of: account)
                let view = try await store.trees.wholeView(of: .cloudDocs, of: account)
                #expect(try await view.tree.item(other) != nil)
            }
            try Data(repeating: 7, count: 50_000).write(to: URL(filePath: foldedFile(in: path)))
            try await withStore(at: path) { store in
                let view = try await store.trees.wholeView(of: .cloudDocs, of: AccountID(1))
                #expect(try await view.tree.item(other) != nil)
            }
        }
    }
}
