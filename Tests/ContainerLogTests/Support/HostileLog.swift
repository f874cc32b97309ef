import Basics
import CloudModel
import ContainerLog
import TestSupport

/// A random log that no honest device would write, on so few ids and names that they often collide.
struct HostileLog {
    /// The subject of most changes.
    enum Focus { case everything, conflicts, names }

    private(set) var tree: DictionaryTree
    private(set) var batches: [ChangeBatch] = []
    private var random: SeededGenerator
    private let focus: Focus

    init(seed: UInt64, foldsNames: Bool, focus: Focus = .everything) {
        random = SeededGenerator(seed: seed)
        tree = DictionaryTree(foldsNames: foldsNames)
        self.focus = focus
    }

    /// Creates the next batch and folds it.
    @discardableResult
    mutating func next() throws -> (batch: ChangeBatch, result: FoldResult) {
        let batch = makeBatch()
        let result = try ContainerReducer().fold(batch, at: tree.state().sequence.next, into: &tree)
        batches.append(batch)
        return (batch, result)
    }

    private mutating func makeBatch() -> ChangeBatch {
        let ids = self.ids
        let device = DeviceID(UInt64(random.number(1..<4)))
        let last = tree.lastSequence(of: device)
        let changes = (0..<random.number(1..<6)).map { _ in makeChange(ids) }
        return ChangeBatch(
            device: device, deviceName: "d", deviceSequence: last == 0 || random.chance(90) ? last + 1 : last,
            time: Timestamp(nanoseconds: Int64(bitPattern: random.next())),
            packages: random.chance(30) ? packages(ids) : [],
            collection: UInt64(random.number(0..<4)), changes: changes)
    }

    /// Returns items of any kind, some with their current version and some with a different version.
    private mutating func packages(_ ids: [ItemID]) -> [PackageVersion] {
        var versions: [ItemID: VersionID] = [:]
        for _ in 0..<random.number(1..<3) {
            let id = ids[random.number(0..<ids.count)]
            let known = random.chance(80) ? tree.item(id)?.version : nil
            versions[id] = known ?? VersionID(sequence: LogSequence(1), index: 0)
        }
        return versions.sorted { $0.key < $1.key }.map { PackageVersion($0.key, $0.value) }
    }

    /// A few ids, the well-known ids, and ids created by the fold itself.
    private var ids: [ItemID] {
        let own = (0..<(focus == .conflicts ? 3 : 8)).map { ItemID.sample($0) }
        return own + (focus == .conflicts ? [] : [.root, .documents, .nowhere])
            + tree.aliases.keys.sorted().prefix(4) + tree.allItems.map(\.id).sorted().suffix(6)
    }

    /// Returns a step of a collection: mostly the next step, of an epoch near the newest.
    private mutating func makeStep() -> CollectionStep {
        let newest = tree.collectionEpochs().proposed
        let epoch = random.chance(10) ? random.next() : UInt64(random.number(0..<3)) + max(newest, 1) - 1
        switch random.number(0..<3) {
        case 0: return .proposed(epoch: epoch, list: ContentReference(digest: .sample(9), size: 9, layout: .chunk))
        case 1: return .begun(epoch: epoch)
        default: return .done(epoch: epoch)
        }
    }

    private mutating func makeChange(_ ids: [ItemID]) -> Change {
        let id = ids[random.number(0..<ids.count)]
        let parent = focus == .conflicts ? .root : ids[random.number(0..<ids.count)]
        let names: [ItemName] = ["a", "A", "a 2", "b.key", "Documents", "c.mydoc", "é.txt", "e\u{301}.TXT"]
        let name = names[random.number(0..<8)]
        let contents = focus == .conflicts ? 40 : 5
        let base: Digest? = random.chance(20) ? nil : .sample(UInt64(random.number(1..<contents)))
        let content: FileContent =
            random.chance(20) ? .announced(size: 3) : .sample(UInt64(random.number(1..<contents)))
        // There are few distinct times, so that conflict versions get equal names.
        let time =
            focus == .conflicts
            ? .minute(Int64(random.number(0..<4))) : Timestamp(nanoseconds: Int64(bitPattern: random.next()))
        switch random.number(0..<(focus == .everything ? 17 : 24)) {
        case 0, 1:
            return .create(
                id, parent: parent, name: name, attributes: .sample(modified: time),
                body: focus == .conflicts ? .file(content) : .folder)
        case 2:
            return .create(id, parent: parent, name: name, attributes: .sample(modified: time), body: .file(content))
        case 3: return .create(id, parent: parent, name: name, attributes: .sample(), body: .symlink(target: [1]))
        case 4, 5: return .edit(id, base: base, content: content, modified: time)
        case 6, 7: return .move(id, parent: parent, name: name)
        case 8: return .delete(id, base: random.chance(70) ? tree.item(id)?.body.content?.reference?.digest : base)
        case 9: return .resolve(id, versions: Array(tree.item(id)?.conflicts.map(\.version).prefix(2) ?? []))
        case 10: return .setAttributes(id, AttributeChanges(permissions: UInt16(random.number(0..<65_536))))
        case 11: return .raiseRules(UInt16(random.number(0..<2)))
        case 12:
            return .setValue(key: "k\(random.number(0..<4))", value: random.chance(60) ? [1, 2] : nil, time: time)
        case 13:
            let type = ReservedAttribute.packageType(random.chance(50) ? "mydoc" : "txt")
            return .setAttributes(.root, AttributeChanges(extended: [type: random.chance(70) ? [1] : nil]))
        case 14: return .collection(makeStep())
        case 15:
            let value: [UInt8]? = random.chance(60) ? [1] : nil
            return .setAttributes(.root, AttributeChanges(extended: [ReservedAttribute.foldsNames: value]))
        default:
            return focus == .conflicts
                ? .edit(id, base: base, content: content, modified: time) : .move(id, parent: parent, name: name)
        }
    }
}
