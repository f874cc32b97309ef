package import Basics
package import CloudModel
package import ContainerLog

/// One row of the local tree: what the mount shows, and how far its content is.
package struct LocalItem: Sendable, Equatable {
    package var node: NodeID
    package var container: ContainerID
    package var item: ItemID
    package var parent: NodeID
    package var name: ItemName
    package var kind: LocalKind
    package var attributes: ItemAttributes
    /// `st_ctime`.
    package var changed: Timestamp
    /// Only what `utimensat(2)` set; reading does not move it.
    package var accessed: Timestamp?
    /// Only what `chown(2)` set; nil is the owner of the mount.
    package var user: UInt32?
    package var group: UInt32?
    package var target: [UInt8]
    /// Size of the content that the mount shows.
    package var size: UInt64
    /// What the content is; nil after an edit until its bytes are in the cloud, and after an announcement.
    package var content: ContentReference?
    package var presence: Presence
    /// Bitmap of the chunks that are here while ``presence`` is partial.
    package var ranges: [UInt8]
    /// Names the blob: goes up when the content is replaced as a whole.
    package var generation: UInt64
    /// The content differs from what was last agreed on and its bytes are not in the cloud.
    package var isEdited: Bool
    /// A handle that may write is open, or was when the daemon died.
    package var isWriting: Bool
    /// The log has this item or a batch that makes it is on its way.
    package var isKnown: Bool
    package var isExcluded: Bool
    package var isPaused: Bool
    package var pin: PinState
    /// A download was asked for: 0 no, else its priority (higher first).
    package var wanted: UInt8
    /// When the newest local change was made that is not in the log yet; nil when all are.
    package var pendingSince: Timestamp?
    package var used: Timestamp
    package var downloadError: String?
    package var uploadError: String?
    /// Those of its container, of a folder that was read from the database.
    package var packageTypes: PackageTypes
    /// Set on a conflict sibling: the document it belongs to, and which version it shows.
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
        isExcluded = false
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

    /// Whether this is a view of a conflict version and not an item of the log.
    package var isConflictSibling: Bool { conflict != nil }

    /// A file whose bytes are all here: what the kernel may be handed.
    package var isMaterialised: Bool { kind == .file && (presence == .whole || size == 0) }
}
