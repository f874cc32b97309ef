package import Basics
package import CloudModel

/// The changes that a device appends together: other devices see all of them or none.
package struct ChangeBatch: Hashable, Sendable {
    package var device: DeviceID
    /// The device's name at that time, for the names of conflict siblings and for people.
    package var deviceName: String
    /// Counts the device's batches from 1. A batch whose number the log has seen from this device is a repeat and has no effect.
    package var deviceSequence: UInt64
    /// The device's clock when the batch was made; clamped to the log's time when it is folded.
    package var time: Timestamp
    /// The last entry of the log that the device had folded when it made the batch. The reducer ignores it: it binds the batch to a history,
    /// so that a signature of the batch covers the entries before it.
    package var base: LogPosition
    /// The packages whose contents the batch changes, in the order of their ids. The batch is void if one of them has another version by
    /// then.
    package var packages: [PackageVersion]
    /// The newest collection of garbage that the device had folded the proposal of when it verified that the chunks of the batch's contents
    /// are in the cloud; 0 before the first. The batch is refused if it brings contents and a later collection has begun by then.
    package var collection: UInt64
    /// The epoch of the key that the batch's contents are encrypted with. Reserved: 0, and the reducer ignores it.
    package var keyEpoch: UInt64
    package var changes: [Change]

    package init(
        device: DeviceID, deviceName: String, deviceSequence: UInt64, time: Timestamp, base: LogPosition = .start,
        packages: [PackageVersion] = [], collection: UInt64 = 0, keyEpoch: UInt64 = 0, changes: [Change]
    ) {
        self.device = device
        self.deviceName = deviceName
        self.deviceSequence = deviceSequence
        self.time = time
        self.base = base
        self.packages = packages
        self.collection = collection
        self.keyEpoch = keyEpoch
        self.changes = changes
    }
}
