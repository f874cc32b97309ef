import Basics
package import CloudModel
package import ContainerLog
package import LocalMetadata

/// One item in the three trees: what the log says, what both sides agreed on last, what this device shows.
package struct ItemTrees: Sendable {
    /// Nil where the log never had it or deleted it.
    package var remote: CloudItem?
    /// Nil where both agreed that there is none. The base of every decision.
    package var synced: CloudItem?
    package var local: LocalState?
    /// Whether a program deleted the item here and the log has not confirmed it.
    package var isDeparted: Bool
    /// Whether the batch on its way says something of the departed item: what was agreed on is about to change.
    package var isBeingTold: Bool

    package init(
        remote: CloudItem?, synced: CloudItem?, local: LocalState?, isDeparted: Bool, isBeingTold: Bool = false
    ) {
        self.remote = remote
        self.synced = synced
        self.local = local
        self.isDeparted = isDeparted
        self.isBeingTold = isBeingTold
    }
}

/// What a device shows of an item, in the log's terms.
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
    /// Bytes that the cloud does not have.
    package var isEdited: Bool
    /// A program has it open for writing: nothing is swapped or taken away under it.
    package var isBeingWritten: Bool
    /// All bytes are here, so an older version can be shown until the newer one is.
    package var isMaterialised: Bool
    /// Drop the bytes instead of following a newer version.
    package var evictsOnUpdate: Bool
    /// It has children here.
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
        isBeingWritten = item.isWriting
        isMaterialised = item.kind == .file && item.presence == .whole && item.size > 0
        self.evictsOnUpdate = evictsOnUpdate
        self.hasChildren = hasChildren
    }

    /// What an item of the log would be that equals this one; nil while its bytes are not in the cloud.
    package var body: ItemBody? {
        switch kind {
        case .folder: .folder
        case .symlink: .symlink(target: target)
        case .file: isEdited ? nil : content.map { .file(.stored($0)) } ?? .file(.announced(size: size))
        }
    }

    /// Whether the content is what `agreed` says; links and folders have none.
    func hasContent(of agreed: CloudItem) -> Bool {
        guard kind == .file else { return true }
        return !isEdited && content == agreed.body.content?.reference
    }
}

/// What is to happen on this device so that it shows what the log says.
package enum FollowAction: Sendable, Equatable {
    /// Show an item that is new here, as a placeholder.
    case insert(CloudItem)
    case place(parent: ItemID, name: ItemName)
    case setAttributes(ItemAttributes)
    /// Show this content; its bytes come when a program opens it.
    case replaceContent(FileContent)
    /// Fetch this content and show the old one until all of it is here.
    case fetch(ContentReference)
    case remove
    /// Keep a folder that others deleted, because of what is inside here.
    case keepFolder
    case forgetDeparture
}

/// What an item's trees call for.
package struct ItemPlan: Sendable, Equatable {
    package var follow: [FollowAction] = []
    /// What both sides agree on once ``follow`` is done; nil: that there is no such item.
    package var agreed: CloudItem?
    /// What the cloud is to get.
    package var changes: [Change] = []
    /// The bytes must be in the cloud before ``changes`` can be made.
    package var needsUpload = false
    /// What may be announced before the bytes are there: that there is such a file, and how large it is.
    package var announcement: Change?

    package init(
        follow: [FollowAction] = [], agreed: CloudItem?, changes: [Change] = [], needsUpload: Bool = false
    ) {
        self.follow = follow
        self.agreed = agreed
        self.changes = changes
        self.needsUpload = needsUpload
    }
}
