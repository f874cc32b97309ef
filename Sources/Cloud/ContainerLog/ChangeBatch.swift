package import Basics
package import CloudModel

/// Changes appended together by a device: remote devices see all of them or none.
package struct ChangeBatch: Hashable, Sendable {
    package var device: DeviceID
    /// The device's name at the time, for names of conflict siblings and for people.
    package var deviceName: String
    /// Counts the device's batches from 1. A batch whose number the log already has from this device is a repeat and
    /// has no effect.
    package var deviceSequence: UInt64
    /// The device's clock when it created the batch; clamped to the log's time when folded.
    package var time: Timestamp
    /// The last log entry that the device had folded when it created the batch. The reducer ignores it: it binds the
    /// batch to a history, so that the batch's signature covers the entries before it.
    package var base: LogPosition
    /// The packages whose contents the batch changes, sorted by id. The batch is void if any of them has a different
    /// version by then.
    package var packages: [PackageVersion]
    /// The newest garbage collection whose proposal the device had folded when it verified that the chunks of the
    /// batch's contents are in the cloud; 0 before the first. The batch is refused if it adds contents and a later
    /// collection has begun by then.
    package var collection: UInt64
    /// The key epoch of the batch's encrypted contents. Reserved: 0, and the reducer ignores it.
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
