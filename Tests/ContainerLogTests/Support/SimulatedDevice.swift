import Basics
import CloudModel
import ContainerLog
import TestSupport

/// A device from the log's point of view: it knows a prefix of the log, and its user works on that prefix plus the
/// device's own changes.
struct SimulatedDevice {
    let id: DeviceID
    /// The error of the device's clock, in minutes.
    let skew: Int64
    /// The log's tree, up to the device's last read entry.
    private(set) var seen = DictionaryTree()
    /// The user's view: `seen` with the changes that are not in the log yet.
    private(set) var view = DictionaryTree()
    private(set) var pending: [Change] = []
    private var sequence: UInt64 = 1

    init(number: UInt64, skew: Int64) throws {
        id = DeviceID(number)
        self.skew = skew
        try ContainerReducer.initialise(&seen, foldsNames: false)
        view = seen
    }

    /// Performs the change locally.
    mutating func perform(_ change: Change, at time: Timestamp) throws {
        pending.append(change)
        let next = view.lastSequence(of: id) + 1
        _ = try ContainerReducer().fold(
            batch([change], numbered: next, at: time), at: view.state().sequence.next, into: &view)
    }

    /// Removes the pending changes and returns them as a single entry, or nil if there are none.
    mutating func takeBatch(at time: Timestamp) -> ChangeBatch? {
        guard !pending.isEmpty else { return nil }
        defer {
            pending = []
            sequence += 1
        }
        return batch(pending, numbered: sequence, at: time)
    }

    /// Reads the first `count` entries of the log.
    mutating func read(_ log: [ChangeBatch], upTo count: Int, at time: Timestamp) throws {
        for position in Int(seen.state().sequence.value)..<max(count, Int(seen.state().sequence.value)) {
            _ = try ContainerReducer().fold(log[position], at: LogSequence(UInt64(position + 1)), into: &seen)
        }
        view = seen
        guard !pending.isEmpty else { return }
        _ = try ContainerReducer().fold(
            batch(pending, numbered: sequence, at: time), at: view.state().sequence.next, into: &view)
    }

    private func batch(_ changes: [Change], numbered number: UInt64, at time: Timestamp) -> ChangeBatch {
        ChangeBatch(
            device: id, deviceName: "device \(id.value)", deviceSequence: number, time: time, changes: changes)
    }
}
