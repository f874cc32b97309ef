import Foundation

/// A transaction of a ``StorageDatabase``, as seen by the stores: SQL with `?` in place of values.
///
/// A transaction is valid within the body that received it.
protocol StorageTransaction {
    /// Runs a statement that changes rows.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    func execute(_ sql: String, _ arguments: [any StorageValueConvertible]) throws -> Int

    /// Runs a statement that changes rows, together with the next statement: its error may be thrown by that statement,
    /// or by the commit.
    func enqueue(_ sql: String, _ arguments: [any StorageValueConvertible]) throws

    /// Runs a query, row by row, until `body` returns false.
    func forEachRow(
        _ sql: String, _ arguments: [any StorageValueConvertible], while body: (StorageRow) throws -> Bool) throws

    /// Returns the greatest number that a row of this table ever had, 0 if it never had a row. Only for tables whose
    /// numbers are never reused.
    func lastNumber(of table: String) throws -> Int64
    /// Ensures that later rows of this table have numbers greater than `number`.
    func skipNumbers(of table: String, to number: Int64) throws
}

extension StorageTransaction {
    @discardableResult
    func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    func rows(_ sql: String, _ arguments: [any StorageValueConvertible] = []) throws -> [StorageRow] {
        var rows: [StorageRow] = []
        try forEachRow(sql, arguments) {
            rows.append($0)
            return true
        }
        return rows
    }

    /// Returns the first row of a query; nil if it has none.
    func row(_ sql: String, _ arguments: [any StorageValueConvertible] = []) throws -> StorageRow? {
        var first: StorageRow?
        try forEachRow(sql, arguments) {
            first = $0
            return false
        }
        return first
    }

    /// Returns the first column of the first row; nil if the query has no row, or that column is null.
    func value<T: StorageValueDecodable>(
        _ type: T.Type, _ sql: String, _ arguments: [any StorageValueConvertible] = []
    ) throws -> T? {
        try row(sql, arguments).flatMap { try $0[0] as T? }
    }

    /// Returns the first column of each row.
    func values<T: StorageValueDecodable>(
        _ type: T.Type, _ sql: String, _ arguments: [any StorageValueConvertible] = []
    ) throws -> [T] {
        try rows(sql, arguments).map { try $0[0] as T }
    }

    /// Whether a query has a row.
    func exists(_ sql: String, _ arguments: [any StorageValueConvertible] = []) throws -> Bool {
        try row(sql, arguments) != nil
    }
}
