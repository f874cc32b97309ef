import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import TestSupport
import Testing

@testable import LocalMetadata

/// Compares the tables with the in-memory dictionary: both hold the same folded log.
@Suite("The folded log in SQLite")
struct RemoteTreeTests {
    @Test("random logs lead to the same tree in the tables and in memory, entry by entry")
    func sameTree() throws {
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ 12) {
            let scratch = try Scratch()
            let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
            var random = SeededGenerator(seed: seed)
            var model = DictionaryTree()
            try ContainerReducer.initialise(&model, foldsNames: false)
            for number in 1...40 {
                let batch = try Self.batch(UInt64(number), &random)
                let sequence = LogSequence(UInt64(number))
                let before = model.allItems
                let expected = try ContainerReducer().fold(batch, at: sequence, into: &model)
                let found = try scratch.metadata.write { transaction in
                    var tree = transaction.remote(in: container)
                    return try ContainerReducer().fold(batch, at: sequence, into: &tree)
                }
                try #require(found == expected, "seed \(seed), entry \(number)")
                try scratch.metadata.read { transaction throws -> Void in
                    // Conflict versions of a deleted or merged document belong to another item.
                    var known = Set(model.allItems.flatMap(\.historicContents).map(\.content.digest))
                    try transaction.history.forEachContent(in: container) { known.insert($0.digest) }
                    for item in before {
                        let kept = Set((model.item(item.id)?.historicContents ?? []).map(\.content.digest))
                        let history = try transaction.history.versions(
                            of: item.id, in: container, VersionLimits(count: .max), at: .zero)
                        let gone = item.historicContents.map(\.content.digest).filter { !kept.contains($0) }
                        #expect(gone.allSatisfy(known.contains), "seed \(seed), entry \(number): a content is nowhere")
                        guard model.item(item.id)?.isDeleted == false, !model.aliases.values.contains(item.id) else {
                            continue
                        }
                        let conflicts = Set(item.conflicts.compactMap(\.content.reference?.digest))
                        #expect(
                            gone.allSatisfy { digest in
                                conflicts.contains(digest) || history.contains { $0.content.digest == digest }
                            }, "seed \(seed), entry \(number): what is not current any more is in the history")
                    }
                }
            }
            try scratch.metadata.read { transaction throws -> Void in
                let tree = transaction.remote(in: container)
                #expect(try TreeDigest(of: tree) == TreeDigest(of: model), "seed \(seed)")
                #expect(try tree.state() == model.state(), "seed \(seed)")
                for item in model.allItems { #expect(try tree.item(item.id) == item, "seed \(seed)") }
                for (id, target) in model.aliases { #expect(try tree.alias(of: id) == target, "seed \(seed)") }
            }
        }
    }

    @Test("a container that folds names has the same tree in the tables and in memory, whenever it was set to")
    func foldedTree() throws {
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ 12) {
            let scratch = try Scratch()
            let container = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
            var random = SeededGenerator(seed: seed)
            var model = DictionaryTree()
            for number in 1...40 {
                var batch = try Self.batch(UInt64(number), &random)
                if random.chance(20) {
                    let value: [UInt8]? = random.chance(70) ? [1] : nil
                    batch.changes.insert(
                        .setAttributes(.root, AttributeChanges(extended: [ReservedAttribute.foldsNames: value])), at: 0)
                }
                let sequence = LogSequence(UInt64(number))
                let expected = try ContainerReducer().fold(batch, at: sequence, into: &model)
                let found = try scratch.metadata.write { transaction in
                    var tree = transaction.remote(in: container)
                    return try ContainerReducer().fold(batch, at: sequence, into: &tree)
                }
                try #require(found == expected, "seed \(seed), entry \(number)")
            }
            try scratch.metadata.read { transaction throws -> Void in
                let tree = transaction.remote(in: container)
                #expect(try TreeDigest(of: tree) == TreeDigest(of: model), "seed \(seed)")
                #expect(try tree.state() == model.state(), "seed \(seed)")
                for item in model.allItems where !item.isDeleted {
                    let key = NameKey(item.name, folding: model.state().foldsNames)
                    #expect(try tree.child(of: item.parent, key: key) == item.id, "seed \(seed), \(item.name)")
                }
            }
        }
    }

    private static func batch(_ number: UInt64, _ random: inout SeededGenerator) throws -> ChangeBatch {
        var changes: [Change] = []
        for _ in 0..<random.number(1..<5) { changes.append(try change(&random)) }
        return ChangeBatch(
            device: DeviceID(UInt64(random.number(1..<4))), deviceName: "d", deviceSequence: number,
            time: Timestamp(seconds: 1_800_000_000 + Int64(number)), changes: changes)
    }

    private static func change(_ random: inout SeededGenerator) throws -> Change {
        let id = id(&random)
        let parent = random.pick([.root, .documents, Self.id(&random)]) ?? .root
        let name = try ItemName(random.pick(["a", "b.txt", "c.app", "d", "A"]) ?? "")
        let attributes = ItemAttributes(
            permissions: UInt16(random.number(0..<0o7777)), modified: Timestamp(seconds: Int64(random.number(0..<99))),
            created: .zero, extended: random.chance(30) ? ["user.x": [1, 2]] : [:])
        switch random.number(0..<8) {
        case 0, 1: return .create(id, parent: parent, name: name, attributes: attributes, body: .folder)
        case 2:
            let content = random.chance(20) ? FileContent.announced(size: 7) : .stored(reference(&random))
            return .create(id, parent: parent, name: name, attributes: attributes, body: .file(content))
        case 3: return .create(id, parent: parent, name: name, attributes: attributes, body: .symlink(target: [1, 2]))
        case 4:
            return .edit(
                id, base: random.chance(70) ? reference(&random).digest : nil, content: .stored(reference(&random)),
                modified: attributes.modified)
        case 5: return .move(id, parent: parent, name: name)
        case 6:
            return .setAttributes(id, AttributeChanges(permissions: 0o600, extended: ["user.x": nil, "user.z": []]))
        default: return .delete(id, base: random.chance(70) ? reference(&random).digest : nil)
        }
    }

    private static func id(_ random: inout SeededGenerator) -> ItemID {
        ItemID(high: 1 << 63, low: UInt64(random.number(1..<14)))
    }

    private static func reference(_ random: inout SeededGenerator) -> ContentReference {
        let number = UInt64(random.number(1..<5))
        return ContentReference(digest: Digest(words: (number, 0, 0, 0)), size: number, layout: .chunk)
    }
}
