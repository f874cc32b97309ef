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

    @Test("Random logs lead to the same keys in the tables and in memory", arguments: 1...8)
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
                var tree = transaction.remote(in: container)
                return try ContainerReducer().fold(batch, at: LogSequence(number), into: &tree)
            }
            try #require(found == expected, "seed \(seed), entry \(number)")
        }
        try scratch.metadata.read { transaction throws -> Void in
            let tree = transaction.remote(in: container)
            for (key, entry) in model.keyValues { #expect(try tree.keyValue(key) == entry, "seed \(seed)") }
            #expect(try tree.keyValueTotals() == model.keyValueTotals())
        }
    }

    @Test("A local write is shown instead of the log's value until the log contains it")
    func pending() throws {
        let scratch = try Scratch()
        let container = try container(scratch)
        try scratch.metadata.write { transaction throws -> Void in
            var tree = transaction.remote(in: container)
            try tree.setKeyValue(KeyValueEntry(value: [1], time: Timestamp(seconds: 9)), for: "k")
            try transaction.keyValues.set("k", to: [2], in: container, at: Timestamp(seconds: 5))
        }
        let pending = try scratch.metadata.read { try $0.keyValues.pending() }
        #expect(pending.map(\.value) == [[2]])
        #expect(
            pending[0].time > Timestamp(seconds: 9), "a writer has seen the present value, whatever its clock shows")
        try scratch.metadata.write { transaction throws -> Void in
            try transaction.keyValues.markSent(pending[0])
            try transaction.keyValues.set("k", to: [3], in: container, at: Timestamp(seconds: 20))
            try transaction.keyValues.confirm("k", in: container, time: pending[0].time)
            #expect(try transaction.keyValues.value("k", in: container) == [3])
            let unsent = try transaction.keyValues.unsent(in: container, before: Timestamp(seconds: 30), limit: 9)
            #expect(unsent.map(\.value) == [[3]], "what was written since then is still to be sent")
        }
    }

    @Test("A write beyond the size limit of a store changes nothing")
    func quota() throws {
        let scratch = try Scratch()
        let container = try container(scratch)
        try scratch.metadata.write { transaction throws -> Void in
            let half = [UInt8](repeating: 0, count: KeyValueLimits.bytes / 2)
            try transaction.keyValues.set("a", to: half, in: container, at: .zero)
            try transaction.keyValues.set("b", to: half, in: container, at: .zero)
            #expect(throws: KeyValueRefusal.quota) {
                try transaction.keyValues.set("c", to: [1], in: container, at: .zero)
            }
            #expect(throws: KeyValueRefusal.key) {
                try transaction.keyValues.set(String(repeating: "ä", count: 33), to: [1], in: container, at: .zero)
            }
            try transaction.keyValues.set("a", to: nil, in: container, at: .zero)
            try transaction.keyValues.set("c", to: [1], in: container, at: .zero)
            #expect(try transaction.keyValues.values(in: container).keys.sorted() == ["b", "c"])
        }
    }

    @Test("A transaction distinguishes keys with changed values from keys that were only confirmed")
    func changedKeys() throws {
        let scratch = try Scratch()
        let container = try container(scratch)
        try scratch.metadata.write { transaction throws -> Void in
            try transaction.keyValues.set("mine", to: [1], in: container, at: Timestamp(seconds: 1))
        }
        try scratch.metadata.write { transaction throws -> Void in
            var tree = transaction.remote(in: container)
            try tree.setKeyValue(KeyValueEntry(value: [1], time: Timestamp(seconds: 1)), for: "mine")
            try transaction.keyValues.confirm("mine", in: container, time: Timestamp(seconds: 1))
            try tree.setKeyValue(KeyValueEntry(value: [2], time: Timestamp(seconds: 1)), for: "theirs")
            #expect(try transaction.keyValues.changedKeys(in: container) == ["theirs"])
        }
    }
}
