import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// A row of the table `synced`. In a row for "both agreed that there is no such item" the remaining columns have no
/// meaning.
struct SyncedRow: ColumnDecodable {
    let item: CloudItem?

    init(columns: Columns) throws {
        item = columns.bool(CloudItem.Column.allCases.count) ? nil : try CloudItem(columns: columns)
    }

    static let query = "SELECT \(CloudItem.selection), isAbsent FROM synced WHERE container = ? AND item = ?"
    static let insertAbsent =
        """
        INSERT INTO synced (\(CloudItem.selection), isAbsent) VALUES (\(CloudItem.placeholders), 1)
        ON CONFLICT (container, item) DO NOTHING
        """

    static func absent(_ id: ItemID, in container: ContainerID) -> StatementValues {
        let zero = Data(count: 16)
        return [
            container.value, id.data, zero, Data([UInt8(ascii: "-")]), Data(), 0, 0, 0, 0, nil, nil, 0, nil, 0, 0,
            0, 0, "", true, nil,
        ]
    }
}
