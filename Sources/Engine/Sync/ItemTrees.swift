import Basics
package import CloudModel
package import ContainerLog
package import LocalMetadata

/// An item in the three trees: the log's state, the last agreed state, and the state shown on this device.
package struct ItemTrees: Sendable {
    /// Nil if the log never had it or deleted it.
    package var remote: CloudItem?
    /// Nil if both sides agreed that there is no such item. The base of every decision.
    package var synced: CloudItem?
    package var local: LocalState?
    /// Whether a program deleted the item here and the log has not confirmed it.
    package var isDeparted: Bool
    /// Whether the batch being sent changes an item missing on a side, so that the agreed state is about to change.
    package var isBeingSent: Bool
    /// Whether the mount shows the departed item's content as a conflict version, not deleted with it.
    package var isShownAsVersion: Bool

    package init(
        remote: CloudItem?, synced: CloudItem?, local: LocalState?, isDeparted: Bool, isBeingSent: Bool = false,
        isShownAsVersion: Bool = false
    ) {
        self.remote = remote
        self.synced = synced
        self.local = local
        self.isDeparted = isDeparted
        self.isBeingSent = isBeingSent
        self.isShownAsVersion = isShownAsVersion
    }
}

/// The state of an item shown on this device, in the log's terms.
package struct LocalState: Sendable, Equatable {
    package var id: ItemID
    package var parent: ItemID
    package var name: ItemName
    package var attributes: ItemAttributes
    package var kind: ItemKind
    package var target: [UInt8]
    package var size: UInt64
    /// Nil while the bytes on this device have not reached the cloud, and after an announcement.
    package var content: ContentReference?
    /// Whether the bytes on this device are not in the cloud.
    package var isEdited: Bool
    /// Whether a local change waits to be sent.
    package var isPending: Bool
    /// Whether a program has the file open for writing, so that it must not be replaced or removed.
    package var isBeingWritten: Bool
    /// Whether all bytes are on this device, so that an older version can be shown until the newer one is downloaded.
    package var isMaterialised: Bool
    /// Whether to drop the bytes instead of downloading a newer version.
    package var evictsOnUpdate: Bool
    /// Whether the folder has children on this device.
    package var hasChildren: Bool

    package init(_ item: LocalItem, kind: ItemKind, parent: ItemID, hasChildren: Bool, evictsOnUpdate: Bool) {
        id = item.item
        self.parent = parent
        name = item.name
        attributes = item.attributes
        self.kind = kind
        target = item.target
        size = item.size
        content = item.content
        isEdited = item.isEdited
        isPending = item.pendingSince != nil
        isBeingWritten = item.isWriting
        isMaterialised = item.kind == .file && item.presence == .whole && item.size > 0
        self.evictsOnUpdate = evictsOnUpdate
        self.hasChildren = hasChildren
    }

    /// The body of an equal item in the log; nil while its bytes are not in the cloud.
    package var body: ItemBody? {
        switch kind {
        case .folder: .folder
        case .symlink: .symlink(target: target)
        case .file: isEdited ? nil : content.map { .file(.stored($0)) } ?? .file(.announced(size: size))
        }
    }

    /// Whether the content is that of `agreed`; links and folders have none.
    func hasContent(of agreed: CloudItem) -> Bool {
        guard kind == .file else { return true }
        return !isEdited && content == agreed.body.content?.reference
    }
}

/// A step in following the log.
package enum FollowAction: Sendable, Equatable {
    /// Show an item new to this device, as a placeholder.
    case insert(CloudItem)
    case place(parent: ItemID, name: ItemName)
    case setAttributes(ItemAttributes)
    /// Show this content; its bytes are downloaded when a program opens it.
    case replaceContent(FileContent)
    /// Download this content and show the old one until the download is complete.
    case fetch(ContentReference)
    case remove
    /// Keep a remotely deleted folder, because it has local children.
    case keepFolder
    case forgetDeparture

    /// The name of the action in the log of the daemon.
    var name: String {
        switch self {
        case .insert: "insert"
        case .place: "move"
        case .setAttributes: "setAttributes"
        case .replaceContent: "replaceContent"
        case .fetch: "fetch"
        case .remove: "remove"
        case .keepFolder: "keepFolder"
        case .forgetDeparture: "forgetDeparture"
        }
    }
}

/// The actions resulting from an item's trees.
package struct ItemPlan: Sendable, Equatable {
    package var follow: [FollowAction] = []
    /// The agreed state once ``follow`` is done; nil if both sides agree that there is no such item.
    package var agreed: CloudItem?
    /// The changes to send to the cloud.
    package var changes: [Change] = []
    /// Whether the bytes must be in the cloud before ``changes`` can be sent.
    package var needsUpload = false
    /// Whether the decision waits until the item's file is closed, or the batch being sent is in the log.
    package var isPostponed = false
    /// The change that announces the file and its size before the bytes are in the cloud.
    package var announcement: Change?

    package init(
        follow: [FollowAction] = [], agreed: CloudItem?, changes: [Change] = [], needsUpload: Bool = false,
        isPostponed: Bool = false
    ) {
        self.isPostponed = isPostponed
        self.follow = follow
        self.agreed = agreed
        self.changes = changes
        self.needsUpload = needsUpload
    }
}
