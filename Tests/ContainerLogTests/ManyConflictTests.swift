import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@Suite("Many conflict versions of one file")
struct ManyConflictTests {
    /// A tree that counts the fold's operations on it.
    private struct CountingTree: TreeStore {
        var tree = DictionaryTree()
        var puts = 0
        let lookups = Counter()

        final class Counter { var count = 0 }

        func state() throws -> LogState { tree.state() }
        mutating func setState(_ state: LogState) { tree.setState(state) }
        func lastSequence(of device: DeviceID) -> UInt64 { tree.lastSequence(of: device) }
        mutating func setLastSequence(_ number: UInt64, of device: DeviceID) {
            tree.setLastSequence(number, of: device)
        }
        func item(_ id: ItemID) -> CloudItem? { tree.item(id) }
        mutating func put(_ item: CloudItem) {
            puts += 1
            tree.put(item)
        }
        func child(of parent: ItemID, key: NameKey) -> ItemID? {
            lookups.count += 1
            return tree.child(of: parent, key: key)
        }
        func children(of parent: ItemID) -> [ItemID] { tree.children(of: parent) }
        func hasChildren(_ parent: ItemID) -> Bool { tree.hasChildren(parent) }
        func alias(of id: ItemID) -> ItemID? { tree.alias(of: id) }
        mutating func setAlias(_ id: ItemID, to target: ItemID) { tree.setAlias(id, to: target) }
        func keyValue(_ key: String) -> KeyValueEntry? { tree.keyValue(key) }
        mutating func setKeyValue(_ entry: KeyValueEntry, for key: String) { tree.setKeyValue(entry, for: key) }
        func keyValueTotals() -> KeyValueTotals { tree.keyValueTotals() }
        mutating func forgetOldestRemovedKey() { tree.forgetOldestRemovedKey() }
        func collection(_ epoch: UInt64) -> ProposedCollection? { tree.collection(epoch) }
        mutating func setCollection(_ collection: ProposedCollection) { tree.setCollection(collection) }
        func collectionEpochs() -> CollectionEpochs { tree.collectionEpochs() }
    }

    private static let count = UInt64(ChangeBatch.maximumChanges)

    private func batch(_ number: UInt64, _ changes: [Change]) -> ChangeBatch {
        ChangeBatch(
            device: TestLog.b, deviceName: "lap", deviceSequence: number, time: .minute(Int64(number)), changes: changes
        )
    }

    @Test("An entry of stale edits writes their file once, and so does an entry that resolves them all")
    func staleEdits() throws {
        var store = CountingTree()
        try fold([.file(1, "x", 1)], &store)
        store.puts = 0
        try fold((0..<Self.count).map { .edit(1, from: 0, to: $0 + 2, at: 0) }, &store)
        #expect(store.puts == 1)
        let item = try #require(store.item(.sample(1)))
        #expect(item.conflicts.count == Self.count)
        #expect(problems(of: store.tree).isEmpty)
        try fold(item.conflicts.reversed().map { .resolve(.sample(1), versions: [$0.version]) }, &store)
        #expect(store.puts == 2)
        #expect(store.item(.sample(1))?.conflicts.isEmpty == true)
    }

    @Test("The heirs of versions with one name and time are named with a few lookups for each")
    func heirs() throws {
        var store = CountingTree()
        try fold([.file(1, "x", 1)], &store)
        try fold((0..<Self.count).map { .edit(1, from: 0, to: $0 + 2, at: 0) }, &store)
        let lookups = store.lookups.count
        try fold([.delete(1, store.item(.sample(1))?.body.content?.reference.map { $0.size })], &store)
        #expect(store.tree.children(of: .root).count == Int(Self.count) + 1)
        #expect(store.lookups.count - lookups < 4 * Int(Self.count))
    }

    @Test("Each content that was current within an entry was written to the store, as its history needs it")
    func history() throws {
        var store = CountingTree()
        try fold([.file(1, "x", 1)], &store)
        store.puts = 0
        try fold((1..<10).map { .edit(1, from: $0, to: $0 + 1, at: 9) }, &store)
        #expect(store.puts == 9)
    }

    private func fold(_ changes: [Change], _ store: inout CountingTree) throws {
        let next = store.tree.state().sequence.next
        _ = try ContainerReducer().fold(batch(next.value, changes), at: next, into: &store)
    }
}
