package import Basics
package import CloudModel

/// One thing that a device did to a container. A change is meant against what its device saw; ``ContainerReducer`` decides
/// what it comes to where others were faster.
package enum Change: Hashable, Sendable {
    /// A new item. The id is the creator's choice; if an item of that id exists already, the rules of names decide.
    case create(ItemID, parent: ItemID, name: ItemName, attributes: ItemAttributes, body: ItemBody)

    /// New bytes for a file. `base` is the digest of the content that the edit started from: nil after an announcement only.
    /// The edit is stale when the current content has another digest.
    case edit(ItemID, base: Digest?, content: FileContent, modified: Timestamp)

    /// A rename, a move, or both.
    case move(ItemID, parent: ItemID, name: ItemName)

    /// Only the fields that changed.
    case setAttributes(ItemID, AttributeChanges)

    /// Deletes a file or symlink whose content the deleter saw as `base`, or a folder that it saw empty (after the deletions of
    /// what was inside, which come before it). Void where someone else's newer content or items would be taken with it.
    case delete(ItemID, base: Digest?)

    /// Drops conflict versions that their user has dealt with.
    case resolve(ItemID, versions: [VersionID])

    /// Writes a key of the container's key-value store, or removes it (nil). `time` is when its user did.
    case setValue(key: String, value: [UInt8]?, time: Timestamp)

    /// From the next entry on, fold with these rules. Never lowers.
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

/// What a device appends in one piece: its changes are seen together or not at all.
package struct ChangeBatch: Hashable, Sendable {
    package var device: DeviceID
    /// The device's name at that time, for the names of conflict siblings and for people.
    package var deviceName: String
    /// Counts the device's batches from 1. A batch whose number the log has seen from this device is a repeat and means nothing.
    package var deviceSequence: UInt64
    /// The device's clock when the batch was made; clamped to the log's when it is folded.
    package var time: Timestamp
    /// The packages whose contents it changes, in the order of their ids. The batch means nothing where one has another version by then.
    package var packages: [PackageVersion]
    package var changes: [Change]
    /// The rules that the entry named, where they are not those that its changes need: it means what it means under these.
    var namedRules: UInt16?

    package init(
        device: DeviceID, deviceName: String, deviceSequence: UInt64, time: Timestamp,
        packages: [PackageVersion] = [], changes: [Change]
    ) {
        self.device = device
        self.deviceName = deviceName
        self.deviceSequence = deviceSequence
        self.time = time
        self.packages = packages
        self.changes = changes
    }
}
