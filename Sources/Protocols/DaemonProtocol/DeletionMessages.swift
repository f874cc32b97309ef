/// Lists what was deleted and can be restored, the newest first; of a folder that was removed with what was in it, the folder alone.
package struct DeletedRequest: Codable, Hashable, Sendable {
    /// Only what lay there or below it; the folder itself may be gone.
    package let path: MountPath
    /// Go on behind this place: ``DeletedResponse/next`` of the answer before.
    package let after: String?
    /// At most 200, also where more is asked for.
    package let limit: UInt64?

    package init(path: MountPath = .root, after: String? = nil, limit: UInt64? = nil) {
        self.path = path
        self.after = after
        self.limit = limit
    }
}

package struct DeletedResponse: Codable, Hashable, Sendable {
    package let items: [DeletedEntry]
    /// Where to go on; nil at the end. The page before it may have no items.
    package let next: String?

    package init(items: [DeletedEntry], next: String?) {
        self.items = items
        self.next = next
    }
}

package struct DeletedEntry: Codable, Hashable, Sendable {
    /// Names it for ``RestoreDeletedRequest``.
    package let itemID: String
    /// Where it was.
    package let path: MountPath
    package let kind: ItemStatus.Kind
    package let deleted: WireTime
    /// The device that deleted it.
    package let device: String
    /// In bytes; of a folder, of all files that went with it. Nil where there is too much to count.
    package let size: UInt64?
    /// What went with a folder; nil for others, and where there is too much to count.
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

/// Brings a deleted item back, a folder with all that went with it: as placeholders, without the network.
package struct RestoreDeletedRequest: Codable, Hashable, Sendable {
    /// The path that it had: the one of it that was deleted last.
    package let path: MountPath
    /// Which one, where several had that path.
    package let itemID: String?
    /// Where to, in the same container: a folder, or a name that is free in one. Nil: where it was, with the folders above it that are gone.
    /// A name that is taken gets ` 2`.
    package let to: MountPath?

    package init(path: MountPath, itemID: String? = nil, to: MountPath? = nil) {
        self.path = path
        self.itemID = itemID
        self.to = to
    }
}

package struct RestoreDeletedResponse: Codable, Hashable, Sendable {
    /// Where it is now.
    package let path: MountPath
    /// How many items came back.
    package let items: UInt64
    /// How many did not, because something else changed their folder meanwhile.
    package let missing: UInt64

    package init(path: MountPath, items: UInt64, missing: UInt64) {
        self.path = path
        self.items = items
        self.missing = missing
    }
}
