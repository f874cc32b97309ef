import Basics
package import CloudModel
package import ContainerLog
package import LocalMetadata

/// One item in the three trees: the log's state, the state both sides agreed on last, and the state that this device shows.
package struct ItemTrees: Sendable {
    /// Nil where the log never had it or deleted it.
    package var remote: CloudItem?
    /// Nil where both sides agreed that there is no such item. The base of every decision.
    package var synced: CloudItem?
    package var local: LocalState?
    /// Whether a program deleted the item here and the log has not confirmed it.
    package var isDeparted: Bool
    /// Whether the batch that is being sent changes an item that is missing on a side, so that the agreed state is about to change.
    package var isBeingSent: Bool
    /// Whether the mount shows the content of the departed item as a version in conflict, which was not deleted with it.
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

/// The state of an item that this device shows, in the log's terms.
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
    /// Whether a change made here waits to be sent.
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

    /// The body of an item of the log that equals this one; nil while its bytes are not in the cloud.
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

/// A step by which this device follows the log.
package enum FollowAction: Sendable, Equatable {
    /// Show an item that is new on this device, as a placeholder.
    case insert(CloudItem)
    case place(parent: ItemID, name: ItemName)
    case setAttributes(ItemAttributes)
    /// Show this content; its bytes are downloaded when a program opens it.
    case replaceContent(FileContent)
    /// Download this content and show the old one until all of it is on this device.
    case fetch(ContentReference)
    case remove
    /// Keep a folder that another device deleted, because it has children on this device.
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

/// The actions that follow from an item's trees.
package struct ItemPlan: Sendable, Equatable {
    package var follow: [FollowAction] = []
    /// The state that both sides agree on once ``follow`` is done; nil if they agree that there is no such item.
    package var agreed: CloudItem?
    /// The changes to send to the cloud.
    package var changes: [Change] = []
    /// Whether the bytes must be in the cloud before ``changes`` can be made.
    package var needsUpload = false
    /// Whether the item is decided about once its file is closed, or the batch that is being sent is in the log.
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
