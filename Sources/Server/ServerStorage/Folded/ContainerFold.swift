import CloudModel
import ContainerLog
import GRDB
import Glibc

/// What the log of one container comes to, kept up to date in steps. It is made of the log alone: lost or damaged it is made again.
final class ContainerFold: Sendable {
    /// One entry as the server's database has it.
    struct Entry: Sendable {
        let sequence: LogSequence
        let payload: [UInt8]
        let created: Int64
    }

    let container: Int64
    let queue: DatabaseQueue

    /// Opens or makes it.
    init(container: Int64, in directory: DataDirectory) throws {
        self.container = container
        let path = "\(directory.trees)/\(container).sqlite"
        do { queue = try Self.open(path) } catch let error as DatabaseError {
            guard [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) else { throw error }
            Self.remove(container, in: directory)
            queue = try Self.open(path)
        }
    }

    /// Takes away what was folded.
    static func remove(_ container: Int64, in directory: DataDirectory) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(directory.trees)/\(container).sqlite\(suffix)") }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "ubiquity-server folds"
        // A command of the owner may fold beside the process that serves.
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in
            // Whole after a loss of power too, only older: then the log is folded again from there.
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: CollectionTree.tables) }
        try migrator.migrate(queue)
        return queue
    }

    /// The last entry folded.
    func position() throws -> LogSequence { try queue.read { try CollectionTree($0).state().sequence } }

    /// Folds these, or those of them that no other task has folded meanwhile. Throws ``LogError`` at one that a newer version wrote; those
    /// before it are folded then.
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
            // For every device it means nothing, so it means nothing here.
            guard case .damaged = error else { throw error }
            return try ContainerReducer().foldVoid(at: entry.sequence, into: &tree)
        }
        _ = try ContainerReducer().fold(batch, at: entry.sequence, into: &tree)
    }
}
