import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import TestSupport

/// Keys of the key-value store. They use a separate generator, and only some histories have keys, so the rest stay the
/// same.
extension History {
    private static let keys = ["a", "b", "c"]

    /// Whether the history has keys. Excludes the seeds kept for known cases, and those of calm histories.
    private var hasKeys: Bool { [1, 6].contains(plan.seed % 8) && (plan.bug ?? .earlierKeyWins) == .earlierKeyWins }

    /// Lets a device write or remove a key from time to time.
    func writeKey(_ index: Int) throws {
        guard hasKeys else { return }
        var random = SeededGenerator(seed: plan.seed &* 0xD1B5_4A32_D192_ED03 &+ UInt64(index))
        guard random.chance(15), let device = random.pick(devices), let key = random.pick(Self.keys) else { return }
        let value = random.chance(25) ? nil : Array("\(index + 1) of \(device.name)".utf8)
        device.time.advance(by: .milliseconds(random.number(1..<300)))
        let container = try device.container()
        var seen = try loggedWrites(of: key, before: Int(container.sequence.value))
        if let pending = try pending(key, of: device) { seen.insert(pending) }
        try device.metadata.write {
            try $0.keyValues.set(key, to: value, in: container.id, at: device.time.now())
        }
        // As the daemon does before it replies.
        try device.metadata.makeDurable()
        record(device, "key \(key): \(value.map { "‘\(String(decoding: $0, as: UTF8.self))’" } ?? "nothing")")
        if try device.metadata.read({ try $0.keyValues.value(key, in: container.id) }) != value {
            stepProblems.append("\(device.name) does not show what it wrote to key \(key)")
        }
        if let own = try pending(key, of: device), !seen.contains(own) { keyLedger.write(own, to: key, having: seen) }
    }

    /// Returns the problems with keys once all faults are repaired.
    func keyProblems() throws -> [String] {
        try Self.keys.flatMap { key -> [String] in
            let entries = try devices.map { device in
                let container = try device.container().id
                return try device.metadata.read { try $0.remote(in: container).keyValue(key) }
            }
            guard let first = entries.first, entries.allSatisfy({ $0 == first }) else {
                return ["key \(key) differs: \(entries.map { "\($0.map { "\($0)" } ?? "absent")" })"]
            }
            return keyLedger.problems(key, shown: first)
        }
    }

    private func pending(_ key: String, of device: SimulatedDevice) throws -> KeyLedger.Write? {
        try device.metadata.read { try $0.keyValues.pending() }.first { $0.key == key }.map {
            KeyLedger.Write(value: $0.value, time: $0.time)
        }
    }

    /// Returns the writes of a key in the log's first entries.
    private func loggedWrites(of key: String, before count: Int) throws -> Set<KeyLedger.Write> {
        var writes: Set<KeyLedger.Write> = []
        for batch in try accepted(count) {
            for case .setValue(key, let value, let time) in batch.changes {
                writes.insert(KeyLedger.Write(value: value, time: time))
            }
        }
        return writes
    }

    /// Returns the first entries of the log without repeats and without entries refused because a different device had
    /// changed the package before.
    private func accepted(_ count: Int) throws -> [ChangeBatch] {
        var (numbers, packages): ([DeviceID: UInt64], [ItemID: VersionID]) = ([:], [:])
        return try cloud.log.prefix(count).enumerated().compactMap { index, payload in
            let batch = try ChangeBatch(decoding: payload)
            guard batch.deviceSequence > numbers[batch.device, default: 0] else { return nil }
            numbers[batch.device] = batch.deviceSequence
            guard batch.packages.allSatisfy({ packages[$0.package] ?? $0.version == $0.version }) else { return nil }
            let version = VersionID(sequence: LogSequence(UInt64(index) + 1), index: 0)
            for known in batch.packages { packages[known.package] = version }
            return batch
        }
    }
}
