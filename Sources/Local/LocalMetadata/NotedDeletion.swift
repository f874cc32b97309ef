package import Basics
package import CloudModel

/// A deletion in the folded log, as noted by this device.
package struct NotedDeletion: Sendable {
    package let item: ItemID
    package let name: ItemName
    /// When this device folded the entry, by its own clock.
    package let noted: Timestamp
    /// The name of the device that deleted the item; empty if unknown.
    package let device: String
}

extension NotedDeletion: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            item: try ItemID(data: columns.data(0)), name: try columns.name(1),
            noted: Timestamp(nanoseconds: columns.integer(2)), device: columns.text(3))
    }
}
