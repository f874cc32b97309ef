package import Basics
package import CloudModel

/// A single action of a device in a container. A change applies to the state seen by its device; ``ContainerReducer``
/// decides its effect if concurrent changes came first.
package enum Change: Hashable, Sendable {
    /// Creates an item. The creator chooses the id; if the id is already in use, the naming rules decide.
    case create(ItemID, parent: ItemID, name: ItemName, attributes: ItemAttributes, body: ItemBody)

    /// Replaces a file's bytes. `base` is the digest of the edited content; it is nil only after an announcement. The
    /// edit is stale if the current content has a different digest.
    case edit(ItemID, base: Digest?, content: FileContent, modified: Timestamp)

    /// Renames an item, moves it, or does both.
    case move(ItemID, parent: ItemID, name: ItemName)

    /// Changes attributes; lists only the changed fields.
    case setAttributes(ItemID, AttributeChanges)

    /// Deletes a file or symlink whose content the device saw as `base`, or a folder it saw empty (after deleting its
    /// contents, in preceding changes). Void if it would also delete newer content or others' items.
    case delete(ItemID, base: Digest?)

    /// Drops conflict versions resolved by the user.
    case resolve(ItemID, versions: [VersionID])

    /// Writes a key of the container's key-value store, or removes it (nil). `time` is the time of the user's action.
    case setValue(key: String, value: [UInt8]?, time: Timestamp)

    /// A step of a garbage collection in the cloud.
    case collection(CollectionStep)

    /// Raises the folding rules of the log from the next entry on. Never lowers them.
    case raiseRules(UInt16)
}

/// A partial change of ``ItemAttributes``: nil leaves a field unchanged.
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
