import GRDB
import Records

/// The statements of one operation on one connection, each prepared once.
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

    /// Returns what `body` makes of the first row; nil if there is no row.
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

    /// SQLite's integers have a sign; the bits are kept.
    static func bits(_ number: UInt64) -> RecordValue { .integer(Int64(bitPattern: number)) }

    /// Returns the bytes of a text or a blob; nothing for other values.
    var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .blob(let bytes): bytes
        case .null, .integer, .real: []
        }
    }
}

extension RecordName {
    /// The name as SQL writes it.
    var quoted: String { CaptureTriggers.quoted(description) }
}
