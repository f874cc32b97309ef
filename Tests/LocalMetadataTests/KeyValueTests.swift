import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Key-value stores in SQLite")
struct KeyValueTests {
    private func container(_ scratch: Scratch) throws -> ContainerID {
        try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
    }

    @Test("Random logs come to the same keys in the tables and in memory", arguments: 1...8)
    func sameKeys(_ seed: UInt64) throws {
        let scratch = try Scratch()
        let container = try container(scratch)
        var random = SeededGenerator(seed: seed)
        var model = DictionaryTree()
        for number in 1...60 as ClosedRange<UInt64> {
            let changes = (0..<random.number(1..<5)).map { _ in
                Change.setValue(
                    key: "k\(random.number(0..<8))",
                    value: random.number(0..<3) == 0 ? nil : [UInt8](repeating: 1, count: random.number(0..<400_000)),
                    time: Timestamp(seconds: 1_800_000_000 + Int64(random.number(0..<100))))
            }
            let batch = ChangeBatch(
                device: DeviceID(UInt64(random.number(1..<4))), deviceName: "d", deviceSequence: number,
                time: Timestamp(seconds: 1_800_000_000 + Int64(number)), changes: changes)
            let expected = try ContainerReducer().fold(batch, at: LogSequence(number), into: &model)
            let found = try scratch.metadata.write { transaction in
                var tree = RemoteTree(transaction, container: container)
                return try ContainerReducer().fold(batch, at: LogSequence(number), into: &tree)
            }
            try #require(found == expected, "seed \(seed), entry \(number)")
        }
        try scratch.metadata.read { transaction throws -> Void in
            let tree = RemoteTree(transaction, container: container)
            for (key, entry) in model.keyValues { #expect(try tree.keyValue(key) == entry, "seed \(seed)") }
            #expect(try tree.keyValueTotals() == model.keyValueTotals())
        }
    }

    @Test("What was written here stands before what the log says, until the log shows it")
    func pending() throws {
        let scratch = try Scratch()
        let container = try container(scratch)
        try scratch.metadata.write { transaction throws -> Void in
            var tree = RemoteTree(transaction, container: container)
            try tree.setKeyValue(KeyValueEntry(value: [1], time: Timestamp(seconds: 9)), for: "k")
            try transaction.setKeyValue("k", to: [2], in: container, at: Timestamp(seconds: 5))
        }
        let pending = try scratch.metadata.read { try $0.pendingKeyValues() }
        #expect(pending.map(\.value) == [[2]])
        #expect(pending[0].time > Timestamp(seconds: 9), "who writes has seen what is there, whatever the clock says")
        try scratch.metadata.write { transaction throws -> Void in
            try transaction.markSent(pending[0])
            try transaction.setKeyValue("k", to: [3], in: container, at: Timestamp(seconds: 20))
            try transaction.confirmKeyValue("k", in: container, time: pending[0].time)
            #expect(try transaction.keyValue("k", in: container) == [3])
            let unsent = try transaction.unsentKeyValues(in: container, before: Timestamp(seconds: 30), limit: 9)
            #expect(unsent.map(\.value) == [[3]], "what was written since is still to be appended")
        }
    }

    @Test("A write beyond what a store holds changes nothing")
    func quota() throws {
        let scratch = try Scratch()
        let container = try container(scratch)
        try scratch.metadata.write { transaction throws -> Void in
            let half = [UInt8](repeating: 0, count: KeyValueLimits.bytes / 2)
            try transaction.setKeyValue("a", to: half, in: container, at: .zero)
            try transaction.setKeyValue("b", to: half, in: container, at: .zero)
            #expect(throws: KeyValueRefusal.quota) {
                try transaction.setKeyValue("c", to: [1], in: container, at: .zero)
            }
            #expect(throws: KeyValueRefusal.key) {
                try transaction.setKeyValue(String(repeating: "ä", count: 33), to: [1], in: container, at: .zero)
            }
            try transaction.setKeyValue("a", to: nil, in: container, at: .zero)
            try transaction.setKeyValue("c", to: [1], in: container, at: .zero)
            #expect(try transaction.keyValues(in: container).keys.sorted() == ["b", "c"])
        }
    }

    @Test("What a transaction changed for the store's users is distinguished from what only moved")
    func changedKeys() throws {
        let scratch = try Scratch()
        let container = try container(scratch)
        try scratch.metadata.write { transaction throws -> Void in
            try transaction.setKeyValue("mine", to: [1], in: container, at: Timestamp(seconds: 1))
        }
        try scratch.metadata.write { transaction throws -> Void in
            var tree = RemoteTree(transaction, container: container)
            try tree.setKeyValue(KeyValueEntry(value: [1], time: Timestamp(seconds: 1)), for: "mine")
            try transaction.confirmKeyValue("mine", in: container, time: Timestamp(seconds: 1))
            try tree.setKeyValue(KeyValueEntry(value: [2], time: Timestamp(seconds: 1)), for: "theirs")
            #expect(try transaction.changedKeys(in: container) == ["theirs"])
        }
    }
}
