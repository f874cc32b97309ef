package import Basics
package import CloudModel

/// A row of the local tree: an item of the mount, and the state of its content.
package struct LocalItem: Sendable, Equatable {
    package var node: NodeID
    package var container: ContainerID
    package var item: ItemID
    package var parent: NodeID
    package var name: ItemName
    package var kind: LocalKind
    package var attributes: ItemAttributes
    /// The change time, `st_ctime`.
    package var changed: Timestamp
    /// The access time if `utimensat(2)` set it; reading does not change it.
    package var accessed: Timestamp?
    /// The owner if `chown(2)` set it; nil means the owner of the mount.
    package var user: UInt32?
    package var group: UInt32?
    package var target: [UInt8]
    /// Size of the content shown in the mount.
    package var size: UInt64
    /// The reference of the content; nil after an edit until its bytes are in the cloud, and after an announcement.
    package var content: ContentReference?
    package var presence: Presence
    /// The bitmap of the chunks on this device while ``presence`` is partial.
    package var ranges: [UInt8]
    /// Part of the blob's name: incremented when the content is replaced as a whole.
    package var generation: UInt64
    /// Whether the content differs from the agreed one and its bytes are not in the cloud.
    package var isEdited: Bool
    /// Whether a writable handle is open, or was when the daemon died.
    package var isWriting: Bool
    /// Whether the log has this item or a batch creating it is being sent.
    package var isKnown: Bool
    package var exclusion: Exclusion
    package var isPaused: Bool
    package var pin: PinState
    /// The priority of a requested download (higher first); 0 if none is requested.
    package var wanted: UInt8
    /// The time of the newest local change not in the log yet; nil when all are.
    package var pendingSince: Timestamp?
    package var used: Timestamp
    package var downloadError: String?
    package var uploadError: String?
    /// The container's package types; set for folders read from the database.
    package var packageTypes: PackageTypes
    /// Set on a conflict sibling: its document, and the version it shows.
    package var conflict: ConflictPlace?

    package struct ConflictPlace: Sendable, Equatable {
        package var document: ItemID
        package var version: VersionID
        package init(document: ItemID, version: VersionID) {
            self.document = document
            self.version = version
        }
    }

    package init(
        container: ContainerID, item: ItemID, parent: NodeID, name: ItemName, kind: LocalKind,
        attributes: ItemAttributes, changed: Timestamp
    ) {
        node = NodeID(0)
        self.container = container
        self.item = item
        self.parent = parent
        self.name = name
        self.kind = kind
        self.attributes = attributes
        self.changed = changed
        accessed = nil
        user = nil
        group = nil
        target = []
        size = 0
        content = nil
        presence = .none
        ranges = []
        generation = 0
        isEdited = false
        isWriting = false
        isKnown = false
        exclusion = .none
        isPaused = false
        pin = .inherited
        wanted = 0
        pendingSince = nil
        used = .zero
        downloadError = nil
        uploadError = nil
        packageTypes = PackageTypes()
        conflict = nil
    }

    /// Whether it stays on this device. Setting it excludes the item for its own reason (``Exclusion/own``).
    package var isExcluded: Bool {
        get { exclusion != .none }
        set { exclusion = newValue ? .own : .none }
    }

    /// Whether this is a view of a conflict version and not an item of the log.
    package var isConflictSibling: Bool { conflict != nil }

    /// Whether this is a file with all its bytes on this device, so that it may be passed to the kernel.
    package var isMaterialised: Bool { kind == .file && (presence == .whole || size == 0) }
}
