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
