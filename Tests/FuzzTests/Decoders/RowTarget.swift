import Basics
import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

@testable import LocalMetadata

extension FuzzTarget {
    /// Rows with columns of any value and type, as a database of an older or newer format may have.
    static let rows = FuzzTarget(name: "row") { bytes in
        guard let kind = bytes.first else { return false }
        var values = ColumnValues(bytes.dropFirst())
        return try RowDatabase.shared.read { transaction in
            switch kind % 7 {
            case 0:
                try decode(LocalItem.self, LocalItem.columns.count + 1, &values, transaction) { item in
                    _ = item.values
                    try expectShowable([item.attributes.modified, item.attributes.created, item.changed, item.used])
                }
            case 1:
                try decode(CloudItem.self, CloudItem.Column.allCases.count, &values, transaction) { item in
                    _ = item.values(in: ContainerID(1), key: NameKey(item.name, folding: false))
                }
            case 2: try decode(SyncedRow.self, CloudItem.Column.allCases.count + 1, &values, transaction)
            case 3: try decode(LocalContainer.self, 5, &values, transaction)
            case 4: try decode(LogState.self, 4, &values, transaction)
            case 5: try decode(Departure.self, 7, &values, transaction)
            default: try decode(Resolution.self, 4, &values, transaction)
            }
        }
    } seeds: {
        try RowSamples.all()
    }

    private static func decode<T: ColumnDecodable>(
        _ type: T.Type, _ count: Int, _ values: inout ColumnValues, _ transaction: MetadataTransaction,
        use: (T) throws -> Void = { _ in }
    ) throws -> Bool {
        let columns = (0..<count).map { _ in values.next() }
        let query = "SELECT " + columns.map { _ in "?" }.joined(separator: ", ")
        guard let row: T = accepted({ try transaction.fetchOne(query, columns) ?? nil }) ?? nil
        else { return false }
        try use(row)
        return true
    }
}

/// A database without tables: queries return their bound values.
final class RowDatabase: Sendable {
    static let shared = RowDatabase()
    // Without the queue every read throws.
    private let queue = try? DatabaseQueue()

    func read(_ body: (MetadataTransaction) throws -> Bool) throws -> Bool {
        guard let queue else { throw Violation("no database could be created in memory") }
        return try queue.inDatabase { try body(MetadataTransaction($0)) }
    }
}
