import CSession
import GRDB
import GRDBSQLite
import Records

@testable import UbiquityData

/// SQLite's session record of a connection: the effect of all its transactions on each row. It does not use triggers.
final class SessionRecorder {
    typealias Columns = [RecordName: RecordValue]

    enum Effect: Hashable {
        /// All columns but those of the key.
        case inserted(Columns)
        /// The changed columns.
        case updated(from: Columns, to: Columns)
        case deleted
    }

    private struct Table {
        let schema: TableSchema
        /// All columns, in the order of the table's declaration.
        let columns: [RecordName]
    }

    private var session: OpaquePointer?
    private let tables: [Table]

    /// - Parameter schema: The connection's name for the file.
    init(_ db: Database, in schema: String = "main", _ schemas: [TableSchema]) throws {
        let statements = StatementCache(db)
        tables = try schemas.map { table in
            let columns = try statements.all(
                "SELECT name FROM pragma_table_info(?, ?) ORDER BY cid", [.text(table.name), .text(schema)]
            ) { RecordName(utf8: $0[0].bytes) }
            return Table(schema: table, columns: columns.compactMap { $0 })
        }
        try Self.check(sqlite3session_create(db.sqliteConnection, schema, &session))
        for table in tables { try Self.check(sqlite3session_attach(session, table.schema.name.description)) }
    }

    /// Ends the session, which must not outlive its connection.
    func close() {
        if let session { sqlite3session_delete(session) }
        session = nil
    }

    deinit { close() }

    private static func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Returns the tables' current contents compared with the session's start.
    func effects() throws -> [RowID: Effect] {
        var size: CInt = 0
        var bytes: UnsafeMutableRawPointer?
        try Self.check(sqlite3session_changeset(session, &size, &bytes))
        defer { sqlite3_free(bytes) }
        guard size > 0 else { return [:] }
        var iterator: OpaquePointer?
        try Self.check(sqlite3changeset_start(&iterator, size, bytes))
        defer { sqlite3changeset_finalize(iterator) }
        var effects: [RowID: Effect] = [:]
        while true {
            let code = sqlite3changeset_next(iterator)
            if code == SQLITE_DONE { return effects }
            guard code == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            let (row, effect) = try effect(iterator)
            if let effect { effects[row] = effect }
        }
    }

    /// Returns nil as effect if the row has its old values.
    private func effect(_ iterator: OpaquePointer?) throws -> (RowID, Effect?) {
        var name: UnsafePointer<CChar>?
        var (count, operation, indirect) = (CInt(0), CInt(0), CInt(0))
        try Self.check(sqlite3changeset_op(iterator, &name, &count, &operation, &indirect))
        let found = name.flatMap { RecordName(String(cString: $0)) }
        guard let table = tables.first(where: { $0.schema.name == found }), table.columns.count == Int(count) else {
            throw DatabaseError(resultCode: .SQLITE_SCHEMA)
        }
        var (old, new) = (Columns(), Columns())
        for (place, column) in table.columns.enumerated() {
            var value: OpaquePointer?
            if operation != SQLITE_INSERT {
                try Self.check(sqlite3changeset_old(iterator, CInt(place), &value))
                old[column] = value.map(Self.value)
            }
            value = nil
            if operation != SQLITE_DELETE {
                try Self.check(sqlite3changeset_new(iterator, CInt(place), &value))
                new[column] = value.map(Self.value)
            }
        }
        let images = operation == SQLITE_INSERT ? new : old
        guard let key = RecordKey(table.schema.key.map { images[$0] ?? .null }) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        let row = RowID(table: table.schema.name, key: key)
        for column in table.schema.key { (old[column], new[column]) = (nil, nil) }
        switch operation {
        case SQLITE_INSERT: return (row, .inserted(new))
        case SQLITE_DELETE: return (row, .deleted)
        default:
            let changed = new.filter { old[$0.key] != $0.value }
            return (row, changed.isEmpty ? nil : .updated(from: old.filter { changed[$0.key] != nil }, to: changed))
        }
    }

    private static func value(_ value: OpaquePointer) -> RecordValue {
        func bytes(_ start: UnsafeRawPointer?) -> [UInt8] {
            guard let start else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .number(sqlite3_value_double(value))
        case SQLITE_TEXT: return .text(bytes(sqlite3_value_text(value).map { UnsafeRawPointer($0) }))
        case SQLITE_BLOB: return .blob(bytes(sqlite3_value_blob(value)))
        default: return .null
        }
    }
}
