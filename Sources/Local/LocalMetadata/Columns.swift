import GRDB

import struct Foundation.Data

/// One row of a result, read straight from SQLite. GRDB's `Row` makes a dictionary of all column names for each query, which takes
/// longer than the query.
///
/// SQLite converts what has another type than was asked for (sqlite.org/c3ref/column_blob.html), so nothing here fails.
struct Columns {
    fileprivate let statement: SQLiteStatement

    func integer(_ index: Int) -> Int64 { optionalInteger(index) ?? 0 }
    func optionalInteger(_ index: Int) -> Int64? { Int64.fromStatement(statement, atUncheckedIndex: CInt(index)) }
    func unsigned(_ index: Int) -> UInt64 { UInt64(bitPattern: integer(index)) }
    func bool(_ index: Int) -> Bool { integer(index) != 0 }
    func data(_ index: Int) -> Data { optionalData(index) ?? Data() }
    func optionalData(_ index: Int) -> Data? { Data.fromStatement(statement, atUncheckedIndex: CInt(index)) }
    func bytes(_ index: Int) -> [UInt8] { Array(data(index)) }
    func text(_ index: Int) -> String { optionalText(index) ?? "" }
    func optionalText(_ index: Int) -> String? { String.fromStatement(statement, atUncheckedIndex: CInt(index)) }
}

/// What a row of some query means.
protocol ColumnDecodable {
    init(columns: Columns) throws
}

/// Lets GRDB's cursor of single values step through rows.
private struct Decoded<Value: ColumnDecodable>: DatabaseValueConvertible, StatementColumnConvertible {
    let result: Result<Value, any Error>

    init(_ statement: SQLiteStatement) { result = Result { try Value(columns: Columns(statement: statement)) } }

    static func fromStatement(_ statement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? { Self(statement) }
    init?(sqliteStatement: SQLiteStatement, index: CInt) { self.init(sqliteStatement) }

    // Rows are only ever read from statements.
    var databaseValue: DatabaseValue { .null }
    static func fromDatabaseValue(_ value: DatabaseValue) -> Self? { nil }
}

extension MetadataTransaction {
    func fetchOne<T: ColumnDecodable>(_ sql: String, _ arguments: StatementArguments) throws -> T? {
        let statement = try db.cachedStatement(sql: sql)
        return try Decoded<T>.fetchCursor(statement, arguments: arguments).next()?.result.get()
    }

    func fetchAll<T: ColumnDecodable>(_ sql: String, _ arguments: StatementArguments = []) throws -> [T] {
        let rows = try Decoded<T>.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var items: [T] = []
        while let row = try rows.next() { items.append(try row.result.get()) }
        return items
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The first column of the first row; 0 where there is none.
    func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int64 {
        try optionalNumber(sql, arguments) ?? 0
    }

    func optionalNumber(_ sql: String, _ arguments: StatementArguments = []) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }
}
