import GRDB
import Logging

@testable import LocalMetadata

extension MetadataDatabase {
    /// Changes rows without updating their seals, as a failing disk does.
    func withoutSeals(_ body: (MetadataTransaction) throws -> Void) throws {
        try write { transaction in
            let queue = transaction.db
            try RowSeal.freeze(queue)
            defer { try? RowSeal.register(in: queue) }
            try body(transaction)
        }
    }
}

extension RowSeal {
    /// Replaces the seal function with a constant function.
    static func freeze(_ db: Database) throws {
        db.add(function: DatabaseFunction(column, pure: true) { _ in 42 })
    }
}

extension MetadataTransaction {
    /// Returns every value of every table, without the seals.
    func everything() throws -> [String] {
        let tables = try String.fetchAll(
            db,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' ORDER BY name")
        return try tables.flatMap { table in
            let columns = try db.columns(in: table).map(\.name).filter { $0 != RowSeal.column }
            return try Row.fetchAll(db, sql: "SELECT \(columns.joined(separator: ", ")) FROM \(table)")
                .map { "\(table) \($0)" }.sorted()
        }
    }
}
