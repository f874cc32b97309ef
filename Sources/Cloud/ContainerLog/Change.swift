package import Basics
package import CloudModel

/// One thing that a device did to a container. A change applies to the state that its device saw; ``ContainerReducer`` decides its effect
/// if others were faster.
package enum Change: Hashable, Sendable {
    /// Creates an item. The creator chooses the id; if an item of that id exists already, the rules of names decide.
    case create(ItemID, parent: ItemID, name: ItemName, attributes: ItemAttributes, body: ItemBody)

    /// Replaces a file's bytes. `base` is the digest of the content that the edit started from; it is nil only after an announcement. The
    /// edit is stale if the current content has another digest.
    case edit(ItemID, base: Digest?, content: FileContent, modified: Timestamp)

    /// Renames an item, moves it, or both.
    case move(ItemID, parent: ItemID, name: ItemName)

    /// Changes attributes; has only the fields that changed.
    case setAttributes(ItemID, AttributeChanges)

    /// Deletes a file or symlink whose content the device saw as `base`, or a folder that it saw empty (after the deletions of its
    /// contents, which precede it). Void if newer content or items of others would be deleted with it.
    case delete(ItemID, base: Digest?)

    /// Drops conflict versions that the user has resolved.
    case resolve(ItemID, versions: [VersionID])

    /// Writes a key of the container's key-value store, or removes it (nil). `time` is when the user did so.
    case setValue(key: String, value: [UInt8]?, time: Timestamp)

    /// A step of a collection of garbage in the cloud.
    case collection(CollectionStep)

    /// Raises the rules with which the log is folded from the next entry on. Never lowers them.
    case raiseRules(UInt16)
}

/// A partial change of ``ItemAttributes``: nil leaves a field as it is.
package struct AttributeChanges: Hashable, Sendable {
    package var permissions: UInt16?
    package var modified: Timestamp?
    /// A nil value removes the attribute.
    package var extended: [String: [UInt8]?]

    package init(permissions: UInt16? = nil, modified: Timestamp? = nil, extended: [String: [UInt8]?] = [:]) {
        self.permissions = permissions
        self.modified = modified
        self.extended = extended
    }

    package var isEmpty: Bool { permissions == nil && modified == nil && extended.isEmpty }
}

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
