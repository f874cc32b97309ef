package import Basics
package import CloudModel
package import ContainerLog

/// An item that was deleted and can be restored: a tombstone of the log, or one whose deletion the log has not confirmed yet.
package struct DeletedItem: Sendable {
    package let container: ContainerID
    /// What the log has of it, with the place that it had.
    package let cloud: CloudItem
    /// The name that it had last.
    package let name: ItemName
    /// When it was deleted, by the clock of the device that deleted it, and never later than this device's. Nil where nothing says so: it
    /// was deleted before this device noted deletions.
    package let time: Timestamp?
    /// The name of the device that deleted it; nil for this device, while the log does not confirm it.
    package let device: String?
    /// Set while the log does not confirm the deletion.
    package let departure: Departure?

    package var id: ItemID { cloud.id }
    package var kind: ItemKind { cloud.body.kind }
    package var isFolder: Bool { cloud.body == .folder }
    package var size: UInt64 { cloud.body.content?.size ?? 0 }

    /// What is deleted together with its folder, within this time before or after it, belongs to the folder's deletion.
    package static let span = Duration.seconds(3_600)
}

/// One row of `deletion`.
struct Deletion: Hashable, Sendable {
    let container: ContainerID
    let item: ItemID
    let parent: ItemID
    let name: ItemName
    let time: Timestamp
    /// By this device's clock: what age is counted from.
    let noted: Timestamp
    let device: String

    var values: [ColumnValue] {
        [
            .integer(container.value), .id(item), .id(parent), .bytes(name.bytes), .integer(time.nanoseconds),
            .integer(noted.nanoseconds), .text(device),
        ]
    }

    static let insertion = """
        INSERT OR REPLACE INTO deletion (\(DeletionMigration.columns.joined(separator: ", "))) VALUES (?,?,?,?,?,?,?)
        """
}

/// Which device wrote the entry that is folded, and when by its own clock.
package struct EntryOrigin: Sendable {
    package let device: String
    package let time: Timestamp

    package init(device: String, time: Timestamp) {
        self.device = device
        self.time = time
    }
}
