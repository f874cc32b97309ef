import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@Suite("Key-value rules")
struct KeyValueRuleTests {
    private func set(_ key: String, _ value: UInt8?, at minute: Int64) -> Change {
        .setValue(key: key, value: value.map { [$0] }, time: .minute(minute))
    }

    @Test("The later write of a key wins, in either order of the log")
    func laterWins() throws {
        var log = try TestLog()
        try log.append(TestLog.a, set("k", 1, at: 1))
        // Written earlier, appended later.
        let stale = try log.append(TestLog.b, set("k", 2, at: 0))
        #expect(stale.touchedKeys.isEmpty && log.tree.keyValue("k")?.value == [1])
        let newer = try log.append(TestLog.b, set("k", 3, at: 2))
        #expect(newer.touchedKeys == ["k"] && log.tree.keyValue("k")?.value == [3])
    }

    @Test("Of two writes with one time the later in the log wins, and no write is later than the log")
    func ties() throws {
        var log = try TestLog()
        try log.append(TestLog.a, set("k", 1, at: 1_000_000))
        try log.append(TestLog.b, set("k", 2, at: 1))
        #expect(log.tree.keyValue("k")?.value == [2], "a clock that is ahead wins nothing for longer than a moment")
        try log.append(TestLog.a, set("j", 1, at: 1), set("j", 2, at: 1))
        #expect(log.tree.keyValue("j")?.value == [2])
    }

    @Test("A removed key is not restored by an older write; it may be written again")
    func removal() throws {
        var log = try TestLog()
        try log.append(TestLog.a, set("k", 1, at: 1))
        try log.append(TestLog.a, set("k", nil, at: 2))
        try log.append(TestLog.b, set("k", 2, at: 1))
        #expect(log.tree.keyValue("k") == KeyValueEntry(value: nil, time: .minute(2)))
        try log.append(TestLog.b, set("k", 3, at: 4))
        #expect(log.tree.keyValue("k")?.value == [3])
    }

    @Test("A write that exceeds the store's limit has no effect and is reported")
    func quota() throws {
        var log = try TestLog()
        let half = [UInt8](repeating: 7, count: KeyValueLimits.bytes / 2)
        for key in ["a", "b"] { try log.append(TestLog.a, .setValue(key: key, value: half, time: .zero)) }
        let refused = try log.append(TestLog.b, set("c", 1, at: 3))
        #expect(refused.refusedKeys == ["c"] && refused.touchedKeys.isEmpty && log.tree.keyValue("c") == nil)
        try log.append(TestLog.b, set("a", 1, at: 4), set("c", 1, at: 4))
        #expect(log.tree.keyValue("c")?.value == [1], "what was made smaller gives its room")
        var many = try TestLog()
        for number in 0..<KeyValueLimits.keys { try many.append(TestLog.a, set("\(number)", 1, at: 1)) }
        #expect(try many.append(TestLog.b, set("more", 1, at: 2)).refusedKeys == ["more"])
        try many.append(TestLog.b, set("7", nil, at: 3), set("more", 1, at: 3))
        #expect(many.tree.keyValue("more")?.value == [1])
    }

    @Test("A bounded number of removed keys is remembered, the newest")
    func forgetting() throws {
        var log = try TestLog()
        for number in 0...Int64(KeyValueLimits.removedKeys) {
            try log.append(TestLog.a, set("\(number)", nil, at: number))
        }
        #expect(log.tree.keyValue("0") == nil && log.tree.keyValue("1") != nil)
        #expect(log.tree.keyValueTotals().removedKeys == KeyValueLimits.removedKeys)
    }

    @Test("A key that is too long is not encoded")
    func tooLong() throws {
        let batch = ChangeBatch(
            device: TestLog.a, deviceName: "d", deviceSequence: 1, time: .zero,
            changes: [.setValue(key: String(repeating: "x", count: 65), value: nil, time: .zero)])
        #expect(throws: LogError.self) { try batch.encoded() }
    }

    /// Devices append their changes in any relative order, some of them twice.
    @Test(
        "In any order and with any repeats, each key ends with its last write by time",
        arguments: 1...40)
    func converges(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var writes: [DeviceID: [Change]] = [:]
        var last: [String: (time: Int64, value: UInt8?)] = [:]
        for time in 1...60 as ClosedRange<Int64> {
            let (key, value) = (
                "k\(random.number(0..<6))", random.number(0..<4) == 0 ? nil : UInt8(random.number(0..<200))
            )
            let device = [TestLog.a, TestLog.b, TestLog.c][random.number(0..<3)]
            writes[device, default: []].append(set(key, value, at: time))
            last[key] = (time, value)
        }
        for _ in 0..<3 {
            var tree = DictionaryTree()
            var (sequence, sent) = (LogSequence.zero, [DeviceID: Int]())
            while true {
                let open = writes.keys.sorted().filter { sent[$0, default: 0] < writes[$0, default: []].count }
                guard !open.isEmpty else { break }
                let device = open[random.number(0..<open.count)]
                let index = sent[device, default: 0]
                let batch = ChangeBatch(
                    device: device, deviceName: "d", deviceSequence: UInt64(index + 1), time: .minute(1_000),
                    changes: [writes[device, default: []][index]])
                for _ in 0...(random.number(0..<3) == 0 ? 1 : 0) {
                    sequence = sequence.next
                    _ = try ContainerReducer().fold(batch, at: sequence, into: &tree)
                }
                sent[device] = index + 1
            }
            for (key, write) in last {
                #expect(tree.keyValue(key)?.value == write.value.map { [$0] }, "seed \(seed), \(key)")
            }
        }
    }
}
