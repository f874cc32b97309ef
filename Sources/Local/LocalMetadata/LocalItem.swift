package import Basics
package import CloudModel
package import ContainerLog

/// The number of an item on this device: row id of `local`, FUSE node id and inode number at once. Never reused.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    /// The root of the mount, `FUSE_ROOT_ID`.
    package static let root = NodeID(1)
    package static func < (left: NodeID, right: NodeID) -> Bool { left.value < right.value }
    package var description: String { String(value) }
}

/// The number of a container on this device.
package struct ContainerID: Hashable, Comparable, Sendable {
    package let value: Int64
    package init(_ value: Int64) { self.value = value }
    package static func < (left: ContainerID, right: ContainerID) -> Bool { left.value < right.value }
}

/// What an item of the local tree is. Pipes and sockets exist on this device only.
package enum LocalKind: UInt8, Sendable {
    case folder = 0
    case file = 1
    case symlink = 2
    case pipe = 3
    case socket = 4

    package var cloudKind: ItemKind? { ItemKind(rawValue: rawValue) }
}

/// How much of a file's bytes is on this device.
package enum Presence: UInt8, Sendable {
    case none = 0
    /// Some chunks; which ones is in ``LocalItem/ranges``.
    case partial = 1
    case whole = 2
}

/// What is to be kept on this device.
package enum PinState: UInt8, Sendable, CaseIterable {
    case inherited = 0
    case lazy = 1
    case evictOnUpdate = 2
    case keep = 3
    /// Downloaded while there is plenty of space, and evicted again when it is short.
    case whenSpace = 4
}

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
    /// When the newest local change was made that the cloud has not been told; nil when it knows all.
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

/// One row of `container`.
package struct LocalContainer: Sendable, Equatable {
    package let id: ContainerID
    package let name: ContainerName
    package let node: NodeID
    package let sequence: LogSequence
    /// Whether the cloud is known to have it.
    package let isInCloud: Bool

    /// The setting that says that its log was read to its end once.
    package static func seenKey(_ id: ContainerID) -> String { "seen \(id.value)" }
}

/// An item that a program deleted here and whose deletion the cloud has not confirmed. While it is unsent, a new item of that name
/// in that place takes over its identity: that is how programs save that delete first.
package struct Departure: Sendable, Equatable {
    package let container: ContainerID
    package let item: ItemID
    package let parent: NodeID
    package let name: ItemName
    package let kind: LocalKind
    package let time: Timestamp
    package let isSent: Bool

    package init(
        container: ContainerID, item: ItemID, parent: NodeID, name: ItemName, kind: LocalKind, time: Timestamp,
        isSent: Bool = false
    ) {
        self.container = container
        self.item = item
        self.parent = parent
        self.name = name
        self.kind = kind
        self.time = time
        self.isSent = isSent
    }
}

/// A conflict version that its user has dealt with, until the log says so.
package struct Resolution: Sendable, Hashable {
    package let container: ContainerID
    package let item: ItemID
    package let version: VersionID

    package init(container: ContainerID, item: ItemID, version: VersionID) {
        self.container = container
        self.item = item
        self.version = version
    }
}
