import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

/// Changes that no honest device would write, on few ids and names, so that everything meets everything.
@Suite("Any log has a meaning")
struct HostileLogTests {
    @Test(
        "Whatever is in a log, its tree is sound after each entry, and every device finds the same",
        arguments: [false, true])
    func sound(foldsNames: Bool) throws {
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ 150) { try check(seed: seed, foldsNames: foldsNames) }
    }

    private func check(seed: UInt64, foldsNames: Bool) throws {
        var random = SeededGenerator(seed: seed)
        var tree = DictionaryTree(foldsNames: foldsNames)
        var other = tree
        for number in 1...40 {
            let batch = self.batch(&random, tree)
            let result = try ContainerReducer().fold(batch, at: LogSequence(UInt64(number)), into: &tree)
            let found = problems(of: tree)
            if !found.isEmpty {
                Issue.record("seed \(seed), entry \(number): \(found), \(batch.changes)")
                return
            }
            #expect(try ContainerReducer().fold(batch, at: LogSequence(UInt64(number)), into: &other) == result)
        }
        #expect(try TreeDigest(of: tree) == TreeDigest(of: other), "seed \(seed)")
    }

    private func batch(_ random: inout SeededGenerator, _ tree: DictionaryTree) -> ChangeBatch {
        let ids = self.ids(tree)
        let changes = (0..<random.number(1..<6)).map { _ in change(&random, ids, tree) }
        return ChangeBatch(
            device: DeviceID(UInt64(random.number(1..<4))), deviceName: "d", deviceSequence: random.next() >> 1,
            time: Timestamp(nanoseconds: Int64(bitPattern: random.next())),
            packages: random.chance(30) ? packages(&random, ids, tree) : [], changes: changes)
    }

    /// Items of any kind, some as they are, some not.
    private func packages(
        _ random: inout SeededGenerator, _ ids: [ItemID], _ tree: DictionaryTree
    ) -> [PackageVersion] {
        (0..<random.number(1..<3)).map { _ in
            let id = ids[random.number(0..<ids.count)]
            let known = random.chance(80) ? tree.item(id)?.version : nil
            return PackageVersion(id, known ?? VersionID(sequence: LogSequence(1), index: 0))
        }
    }

    /// A few ids, the well-known ones, and all that the fold made up by itself.
    private func ids(_ tree: DictionaryTree) -> [ItemID] {
        let own = (0..<8).map { ItemID.sample($0) }
        return own + [.root, .documents, .nowhere] + tree.aliases.keys.sorted().prefix(4)
            + tree.allItems.map(\.id).sorted().suffix(6)
    }

    private func change(_ random: inout SeededGenerator, _ ids: [ItemID], _ tree: DictionaryTree) -> Change {
        let id = ids[random.number(0..<ids.count)]
        let parent = ids[random.number(0..<ids.count)]
        let names: [ItemName] = ["a", "A", "a 2", "b.key", "Documents"]
        let name = names[random.number(0..<names.count)]
        let base: Digest? = random.chance(20) ? nil : .sample(UInt64(random.number(1..<5)))
        let content: FileContent =
            random.chance(20) ? .announced(size: 3) : .sample(UInt64(random.number(1..<5)))
        let time = Timestamp(nanoseconds: Int64(bitPattern: random.next()))
        switch random.number(0..<11) {
        case 0, 1: return .create(id, parent: parent, name: name, attributes: .sample(modified: time), body: .folder)
        case 2:
            return .create(id, parent: parent, name: name, attributes: .sample(modified: time), body: .file(content))
        case 3: return .create(id, parent: parent, name: name, attributes: .sample(), body: .symlink(target: [1]))
        case 4, 5: return .edit(id, base: base, content: content, modified: time)
        case 6, 7: return .move(id, parent: parent, name: name)
        case 8: return .delete(id, base: random.chance(70) ? tree.item(id)?.body.content?.reference?.digest : base)
        case 9: return .resolve(id, versions: tree.item(id)?.conflicts.map(\.version) ?? [])
        default: return .setAttributes(id, AttributeChanges(permissions: UInt16(random.number(0..<65_536))))
        }
    }
}
