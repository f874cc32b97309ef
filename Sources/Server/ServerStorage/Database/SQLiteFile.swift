import GRDB

/// A server's database file while no server has it open: a backup, or the result of a restore. Its calls block.
final class SQLiteFile: Sendable {
    private let queue: DatabaseQueue

    init(path: String) throws { queue = try DatabaseQueue(path: path) }

    func read<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        try queue.read { try body(SQLiteTransaction(db: $0)) }
    }

    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        try queue.write { try body(SQLiteTransaction(db: $0)) }
    }

    /// Whether SQLite finds the file intact (sqlite.org/pragma.html#pragma_quick_check).
    func isWhole() throws -> Bool {
        try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") == "ok" }
    }

    /// Whether a newer version wrote it.
    func isTooNew() throws -> Bool { try queue.read(ServerSchema.migrator.hasBeenSuperseded) }

    func migrate() throws { try ServerSchema.migrator.migrate(queue) }

    func hasTable(_ name: String) throws -> Bool { try queue.read { try $0.tableExists(name) } }

    func close() throws { try queue.close() }
}
