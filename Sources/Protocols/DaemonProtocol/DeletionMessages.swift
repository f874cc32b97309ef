/// Lists restorable deleted items, newest first. A folder deleted with its contents is listed alone.
package struct DeletedRequest: DaemonCall {
    package typealias Response = DeletedResponse
    package static let verb = "deleted"

    /// Lists only items formerly at or below this path; the folder itself may be gone.
    package let path: MountPath
    /// Where to continue: ``DeletedResponse/next`` of the previous response.
    package let after: String?
    /// The number of items to list; at most 200 are listed.
    package let limit: UInt64?

    package init(path: MountPath = .root, after: String? = nil, limit: UInt64? = nil) {
        self.path = path
        self.after = after
        self.limit = limit
    }
}

package struct DeletedResponse: CallResponse {
    package static let kind = "deleted"

    package let items: [DeletedEntry]
    /// Where to continue; nil at the end. A page may have no items even if it is not the last.
    package let next: String?

    package init(items: [DeletedEntry], next: String?) {
        self.items = items
        self.next = next
    }
}

package struct DeletedEntry: Codable, Hashable, Sendable {
    /// The identity of the item in a ``RestoreDeletedRequest``.
    package let itemID: String
    /// The path of the item before the deletion.
    package let path: MountPath
    package let kind: ItemStatus.Kind
    package let deleted: WireTime
    /// The deleting device.
    package let device: String
    /// The size in bytes; for a folder, of all files deleted with it. Nil if there are too many to count.
    package let size: UInt64?
    /// The number of items deleted with a folder; nil for other kinds, and if there are too many to count.
    package let items: UInt64?

    package init(
        itemID: String, path: MountPath, kind: ItemStatus.Kind, deleted: WireTime, device: String, size: UInt64?,
        items: UInt64?
    ) {
        self.itemID = itemID
        self.path = path
        self.kind = kind
        self.deleted = deleted
        self.device = device
        self.size = size
        self.items = items
    }
}

/// Restores a deleted item, a folder with everything deleted with it: as placeholders, without the network.
package struct RestoreDeletedRequest: DaemonCall {
    package typealias Response = RestoreDeletedResponse
    package static let verb = "restoreDeleted"

    /// The path before the deletion. Of several items with this path, the last deleted is restored.
    package let path: MountPath
    /// Selects the item if several had that path.
    package let itemID: String?
    /// The target in the same container: a folder, or a free name in one. Nil restores the item to its old place,
    /// together with deleted folders above it. If the name is taken, ` 2` is appended.
    package let to: MountPath?

    package init(path: MountPath, itemID: String? = nil, to: MountPath? = nil) {
        self.path = path
        self.itemID = itemID
        self.to = to
    }
}

package struct RestoreDeletedResponse: CallResponse {
    package static let kind = "restoreDeleted"

    /// The item's current path.
    package let path: MountPath
    /// The number of restored items.
    package let items: UInt64
    /// The number of items not restored because their folder was changed meanwhile.
    package let missing: UInt64

    package init(path: MountPath, items: UInt64, missing: UInt64) {
        self.path = path
        self.items = items
        self.missing = missing
    }
}

/// Removes deleted items for good: they can no longer be restored, and the cloud frees whatever nothing else needs.
package struct PurgeDeletedRequest: DaemonCall {
    package typealias Response = PurgeDeletedResponse
    package static let verb = "purgeDeleted"

    /// Removes only items formerly at or below this path; the folder itself may be gone.
    package let path: MountPath
    /// Removes only this item, with everything deleted with it; `path` is its path before the deletion.
    package let itemID: String?
    /// Items deleted less than so many seconds ago stay; nil removes all.
    package let olderThan: UInt64?
    /// Items deleted later stay: ``PurgeDeletedResponse/until`` of a dry run, so that nothing uncounted is removed.
    package let until: WireTime?
    /// Whether to report the removals without performing them.
    package let dryRun: Bool

    package init(
        path: MountPath = .root, itemID: String? = nil, olderThan: UInt64? = nil, until: WireTime? = nil,
        dryRun: Bool = false
    ) {
        self.path = path
        self.itemID = itemID
        self.olderThan = olderThan
        self.until = until
        self.dryRun = dryRun
    }
}

package struct PurgeDeletedResponse: CallResponse {
    package static let kind = "purgeDeleted"

    /// The number of removed items.
    package let items: UInt64
    /// The bytes of the documents and their earlier versions: an upper bound for the bytes freed by the cloud.
    package let bytes: UInt64
    /// The number of items that stay because their deletion has not reached the cloud yet.
    package let unsent: UInt64
    /// Items deleted later stayed.
    package let until: WireTime

    package init(items: UInt64, bytes: UInt64, unsent: UInt64, until: WireTime) {
        self.items = items
        self.bytes = bytes
        self.unsent = unsent
        self.until = until
    }
}
