import Foundation
import GRDB

/// A transaction of SQLite. Statements are compiled once for each connection.
struct SQLiteTransaction: StorageTransaction {
    let db: Database

    @discardableResult
    func execute(_ sql: String, _ arguments: [any StorageValueConvertible]) throws -> Int {
        try db.cachedStatement(sql: sql).execute(arguments: Self.arguments(arguments))
        return db.changesCount
    }

    func enqueue(_ sql: String, _ arguments: [any StorageValueConvertible]) throws { try execute(sql, arguments) }

    func forEachRow(
        _ sql: String, _ arguments: [any StorageValueConvertible], while body: (StorageRow) throws -> Bool
    ) throws {
        let statement = try db.cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: Self.arguments(arguments))
        let columns = statement.columnNames
        while let row = try rows.next() {
            let values = Array(row.databaseValues.map { StorageValue($0) })
            guard try body(StorageRow(columns: columns, values: values)) else { return }
        }
    }

    private static func arguments(_ values: [any StorageValueConvertible]) -> StatementArguments {
        StatementArguments(values.map { $0.storageValue.databaseValue })
    }
}

extension StorageValue {
    fileprivate init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let number): .integer(number)
            // No stored column has fractions; sums of SQLite may.
            case .double(let number): .integer(Int64(exactly: number.rounded()) ?? .max)
            case .string(let text): .text(text)
            case .blob(let bytes): .bytes(bytes)
            }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.databaseValue
        }
    }
}
