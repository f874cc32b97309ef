import GRDB

/// Copies a SQLite database and compares the copy.
struct DatabaseCopy {
    /// The library's tables are not part of a program's data.
    private static let isForeign = """
        name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND lower(name) NOT LIKE '\\_ubq\\_%' ESCAPE '\\'
        """

    let source: String
    let target: String

    /// Copies the database as of the last commit. Other connections may continue.
    func make() throws {
        let from = try Self.open(source)
        let to = try DatabaseQueue(path: target)
        try from.backup(to: to)
        try to.close()
        try from.close()
    }

    /// Returns the difference: a table, or damage of the copy; nil if schema, rows and row order are the same.
    func difference() throws -> String? {
        let (one, two) = (try Self.open(source), try Self.open(target))
        defer {
            // They were only read.
            try? one.close()
            try? two.close()
        }
        return try one.read { one in
            try two.read { two in
                let check = try String.fetchOne(two, sql: "PRAGMA quick_check(1)")
                guard check == "ok" else { return check ?? "quick_check" }
                let schema = try Self.schema(one)
                guard try schema == Self.schema(two) else { return "schema" }
                for table in schema where table.type == "table" && !table.isVirtual {
                    guard try Self.isEqual(one, two, table.name) else { return table.name }
                }
                return nil
            }
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private struct Element: Hashable {
        let type: String
        let name: String
        let sql: String?

        var isVirtual: Bool { sql?.lowercased().hasPrefix("create virtual") ?? false }
    }

    private static func schema(_ db: Database) throws -> [Element] {
        try Row.fetchAll(
            db, sql: "SELECT type, name, sql FROM sqlite_master WHERE \(isForeign) ORDER BY type, name"
        ).map { Element(type: $0[0], name: $0[1], sql: $0[2]) }
    }

    /// Compares row by row, so that memory holds two rows. Values of different types differ, even if SQL
    /// calls them equal.
    private static func isEqual(_ one: Database, _ two: Database, _ table: String) throws -> Bool {
        let key = try one.primaryKey(table).columns.map(CaptureTriggers.quoted)
        let sql = "SELECT * FROM \(CaptureTriggers.quoted(table)) ORDER BY \(key.joined(separator: ", "))"
        let rows = (try Row.fetchCursor(one, sql: sql), try Row.fetchCursor(two, sql: sql))
        while true {
            switch (try rows.0.next(), try rows.1.next()) {
            case (nil, nil): return true
            case (let first?, let second?):
                guard first.databaseValues.elementsEqual(second.databaseValues, by: isSame) else { return false }
            default: return false
            }
        }
    }

    private static func isSame(_ one: DatabaseValue, _ two: DatabaseValue) -> Bool {
        switch (one.storage, two.storage) {
        case (.null, .null): true
        case (.int64(let one), .int64(let two)): one == two
        case (.double(let one), .double(let two)): one.bitPattern == two.bitPattern
        case (.string(let one), .string(let two)): one.utf8.elementsEqual(two.utf8)
        case (.blob(let one), .blob(let two)): one == two
        default: false
        }
    }
}
