import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@Suite("Log rules: order, repeats, versions of the rules, time")
struct LogRuleTests {
    private func batch(
        _ number: UInt64, _ changes: [Change], time: Timestamp = .minute(1)
    ) -> ChangeBatch {
        ChangeBatch(device: TestLog.a, deviceName: "desk", deviceSequence: number, time: time, changes: changes)
    }

    @Test("A repeat changes only the position in the log")
    func repeats() throws {
        var tree = DictionaryTree()
        let first = batch(1, [.file(1, "x", 10)])
        _ = try ContainerReducer().fold(first, at: LogSequence(1), into: &tree)
        let before = try TreeDigest(of: tree)
        let result = try ContainerReducer().fold(first, at: LogSequence(2), into: &tree)
        #expect(result.isRepeat)
        #expect(try TreeDigest(of: tree) == before)
        #expect(tree.state().sequence == LogSequence(2))
    }

    @Test("An entry out of order is refused and changes nothing")
    func gap() throws {
        var tree = DictionaryTree()
        #expect(throws: LogError.gap(expected: LogSequence(1), found: LogSequence(2))) {
            try ContainerReducer().fold(batch(1, [.file(1, "x", 10)]), at: LogSequence(2), into: &tree)
        }
        #expect(tree.allItems.isEmpty)
    }

    @Test("Rules that this release does not know stop the fold before a change")
    func newerRules() throws {
        let newer = ContainerReducer.knownRules + 1
        var tree = DictionaryTree()
        // Each entry raises the rules by one step; the last exceeds this release's rules.
        let steps = (2...newer).map { [Change.raiseRules($0)] }.dropLast() + [[.raiseRules(newer), .file(1, "x", 10)]]
        for (number, changes) in zip(1..., steps) {
            let sequence = LogSequence(UInt64(number))
            _ = try ContainerReducer().fold(batch(UInt64(number), changes), at: sequence, into: &tree)
        }
        let next = tree.state().sequence.next
        #expect(tree.item(.sample(1)) != nil, "The entry that raises is folded with the rules before it")
        let before = tree.state()
        #expect(throws: LogError.rulesTooNew(needed: newer, known: ContainerReducer.knownRules)) {
            try ContainerReducer().fold(batch(next.value, [.file(2, "y", 10)]), at: next, into: &tree)
        }
        #expect(tree.state() == before)
        #expect(tree.item(.sample(2)) == nil)
    }

    @Test("Rules rise by one step per entry and never fall")
    func rulesStep() throws {
        var tree = DictionaryTree()
        _ = try ContainerReducer().fold(
            batch(1, [.raiseRules(.max), .raiseRules(0), .raiseRules(2), .raiseRules(4)]),
            at: LogSequence(1),
            into: &tree)
        #expect(tree.state().rules == 2)
    }

    @Test("An entry that is not a batch is skipped")
    func void() throws {
        var tree = DictionaryTree()
        try ContainerReducer().foldVoid(at: LogSequence(1), into: &tree)
        #expect(tree.state().sequence == LogSequence(1))
        #expect(throws: LogError.self) { try ContainerReducer().foldVoid(at: LogSequence(1), into: &tree) }
    }

    @Test("The log's time never decreases, and one batch advances it by at most a day")
    func clock() {
        let day = LogClock.largestStep
        let start = Timestamp.minute(10)
        #expect(LogClock.advance(.zero, to: start) == start)
        #expect(LogClock.advance(.zero, to: .zero) == LogClock.floor)
        #expect(LogClock.advance(LogClock.floor, to: start) == start)
        #expect(LogClock.advance(start, to: .minute(5)) == start)
        #expect(LogClock.advance(start, to: .minute(12)) == .minute(12))
        #expect(LogClock.advance(start, to: Timestamp(nanoseconds: .max)) == start.adding(day))
        #expect(LogClock.advance(Timestamp(nanoseconds: .max), to: .zero) == Timestamp(nanoseconds: .max))
    }

    @Test("A tree whose store throws in the middle of an entry is restored")
    func storeKeepsItsTree() throws {
        var store = FailingTree()
        _ = try ContainerReducer().fold(batch(1, [.file(1, "x", 10)]), at: LogSequence(1), into: &store)
        store.failsPuts = true
        #expect(throws: FailingTree.Failure.self) {
            try ContainerReducer().fold(batch(2, [.file(2, "y", 10)]), at: LogSequence(2), into: &store)
        }
        #expect(try store.item(.sample(1)) != nil)
    }

    @Test("A fold touches each item once, in order")
    func touched() throws {
        var log = try TestLog()
        let result = try log.append(
            TestLog.a, .file(2, "x", 10), .file(1, "y", 10), .edit(2, from: 10, to: 11, at: 1))
        #expect(result.touched == [.sample(2), .sample(1)])
    }
}

/// A tree on a disk that fails on demand.
private struct FailingTree: TreeStore {
    struct Failure: Error {}
    var tree = DictionaryTree()
    var failsPuts = false

    func state() throws -> LogState { tree.state() }
    mutating func setState(_ state: LogState) throws { tree.setState(state) }
    func lastSequence(of device: DeviceID) throws -> UInt64 { tree.lastSequence(of: device) }
    mutating func setLastSequence(_ number: UInt64, of device: DeviceID) throws {
        tree.setLastSequence(number, of: device)
    }
    func item(_ id: ItemID) throws -> CloudItem? { tree.item(id) }
    mutating func put(_ item: CloudItem) throws {
        if failsPuts { throw Failure() }
        tree.put(item)
    }
    func child(of parent: ItemID, key: NameKey) throws -> ItemID? { tree.child(of: parent, key: key) }
    func children(of parent: ItemID) throws -> [ItemID] { tree.children(of: parent) }
    func hasChildren(_ parent: ItemID) throws -> Bool { tree.hasChildren(parent) }
    func alias(of id: ItemID) throws -> ItemID? { tree.alias(of: id) }
    mutating func setAlias(_ id: ItemID, to target: ItemID) throws { tree.setAlias(id, to: target) }
    func keyValue(_ key: String) throws -> KeyValueEntry? { tree.keyValue(key) }
    mutating func setKeyValue(_ entry: KeyValueEntry, for key: String) throws { tree.setKeyValue(entry, for: key) }
    func keyValueTotals() throws -> KeyValueTotals { tree.keyValueTotals() }
    mutating func forgetOldestRemovedKey() throws { tree.forgetOldestRemovedKey() }
    func collection(_ epoch: UInt64) throws -> ProposedCollection? { tree.collection(epoch) }
    mutating func setCollection(_ collection: ProposedCollection) throws { tree.setCollection(collection) }
    func collectionEpochs() throws -> CollectionEpochs { tree.collectionEpochs() }
}
