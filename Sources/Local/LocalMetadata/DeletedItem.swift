package import Basics
package import CloudModel
package import ContainerLog

/// A restorable deleted item: a tombstone of the log, or a deletion not confirmed by the log yet.
package struct DeletedItem: Sendable {
    package let container: ContainerID
    /// The log's item, with its former place.
    package let cloud: CloudItem
    /// The last name of the item.
    package let name: ItemName
    /// When it was deleted, by the deleting device's clock, and never later than this device's. Nil if unknown, for
    /// deletions older than this device's records.
    package let time: Timestamp?
    /// The deleting device's name; nil for this device, until the log confirms the deletion.
    package let device: String?
    /// Set until the log confirms the deletion.
    package let departure: Departure?

    package var id: ItemID { cloud.id }
    package var kind: ItemKind { cloud.body.kind }
    package var isFolder: Bool { cloud.body == .folder }
    package var size: UInt64 { cloud.body.content?.size ?? 0 }

    /// An item deleted together with its folder, within this time before or after it, belongs to the folder's deletion.
    package static let span = Duration.seconds(3_600)
}

/// A row of the table `deletion`.
struct Deletion: Hashable, Sendable {
    let container: ContainerID
    let item: ItemID
    let parent: ItemID
    let name: ItemName
    let time: Timestamp
    /// When this device recorded it, by its own clock: the basis of its age.
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

/// The author device of the entry being folded, and the time by its clock.
package struct EntryOrigin: Sendable {
    package let device: String
    package let time: Timestamp

    package init(device: String, time: Timestamp) {
        self.device = device
        self.time = time
    }
}
