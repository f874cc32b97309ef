import CloudModel
import ContainerLog
import GRDB
import Glibc

/// The folded log of one container, kept up to date in steps. It is derived from the log alone: if it is lost or damaged, it is rebuilt.
final class ContainerFold: Sendable {
    /// One entry as the server's database has it.
    struct Entry: Sendable {
        let sequence: LogSequence
        let payload: [UInt8]
        let created: Int64
    }

    let container: Int64
    let queue: DatabaseQueue

    /// Opens or creates the folded log.
    init(container: Int64, in directory: DataDirectory) throws {
        self.container = container
        let path = "\(directory.trees)/\(container).sqlite"
        do { queue = try Self.open(path) } catch let error as DatabaseError {
            guard [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) else { throw error }
            Self.remove(container, in: directory)
            queue = try Self.open(path)
        }
    }

    /// Removes the folded log.
    static func remove(_ container: Int64, in directory: DataDirectory) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(directory.trees)/\(container).sqlite\(suffix)") }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "ubiquity-server folds"
        // A command of the owner may fold beside the process that serves.
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in
            // Intact after a loss of power too, but possibly older: then the log is folded again from there.
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: CollectionTree.tables) }
        migrator.registerMigration("collections") { db in try db.execute(sql: ProposedCollections.table) }
        try migrator.migrate(queue)
        return queue
    }

    /// Returns the position of the last folded entry.
    func position() throws -> LogSequence { try queue.read { try CollectionTree($0).state().sequence } }

    /// Folds those of these entries that no other task has folded meanwhile. Throws ``LogError`` at an entry that a newer version wrote;
    /// those before it are folded by then.
    func fold(_ entries: [Entry]) throws {
        let failure = try queue.write { db -> LogError? in
            var tree = try CollectionTree(db)
            for entry in entries where entry.sequence > tree.state().sequence {
                do { try Self.fold(entry, into: &tree) } catch let error as LogError {
                    try tree.saveState()
                    return error
                }
            }
            try tree.saveState()
            return nil
        }
        if let failure { throw failure }
    }

    private static func fold(_ entry: Entry, into tree: inout CollectionTree) throws {
        tree.now = entry.created
        let batch: ChangeBatch
        do { batch = try ChangeBatch(decoding: entry.payload) } catch {
            // The entry is void for every device, so it is void here.
            guard case .damaged = error else { throw error }
            return try ContainerReducer().foldVoid(at: entry.sequence, into: &tree)
        }
        _ = try ContainerReducer().fold(batch, at: entry.sequence, into: &tree)
    }
}
