import GRDB
import Records

/// The statements of a single operation on a connection, each prepared once.
final class StatementCache {
    let db: Database
    private var statements: [String: SQLStatement] = [:]

    init(_ db: Database) { self.db = db }

    func run(_ sql: String, _ values: [RecordValue] = [], _ body: (SQLRow) throws -> Void = { _ in }) throws {
        if let known = statements[sql] { return try known.run(values, body) }
        let statement = try SQLStatement(sql, db)
        statements[sql] = statement
        try statement.run(values, body)
    }

    /// Returns the result of `body` for the first row; nil if there is no row.
    func first<T>(_ sql: String, _ values: [RecordValue] = [], _ body: (SQLRow) throws -> T) throws -> T? {
        var first: T?
        try run(sql, values) { row in
            if first == nil { first = try body(row) }
        }
        return first
    }

    func all<T>(_ sql: String, _ values: [RecordValue] = [], _ body: (SQLRow) throws -> T) throws -> [T] {
        var all: [T] = []
        try run(sql, values) { all.append(try body($0)) }
        return all
    }
}

extension RecordValue {
    static func text(_ name: RecordName) -> RecordValue { .text(name.utf8) }

    /// SQLite's integers are signed; the bits are kept.
    static func bits(_ number: UInt64) -> RecordValue { .integer(Int64(bitPattern: number)) }

    /// Returns the bytes of a text or a blob; nothing for numbers and NULL.
    var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .blob(let bytes): bytes
        case .null, .integer, .real: []
        }
    }
}

extension RecordName {
    /// The name quoted for SQL.
    var quoted: String { CaptureTriggers.quoted(description) }
}
