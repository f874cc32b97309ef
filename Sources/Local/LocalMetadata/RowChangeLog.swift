import Basics
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// Gathers the rows that a transaction changes, which SQLite reports (sqlite.org/c3ref/update_hook.html).
final class RowChangeLog: Sendable {
    private let changes = Mutex(RowChanges())
    private let watcher = Hook<RowChanges>()

    private static let limit = 50_000

    /// Registers the hook. Must be called once for the connection that writes.
    func follow(_ db: Database) {
        // The connection and this object belong to one database object, which closes the connection before it releases this object.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_update_hook(
            db.sqliteConnection,
            { context, _, _, table, row in
                guard let context, let table, strcmp(table, "local") == 0 else { return }
                Unmanaged<RowChangeLog>.fromOpaque(context).takeUnretainedValue().note(row)
            }, context)
    }

    /// Calls `watcher` after the commit of every transaction that changed anything, on the thread that ran it.
    func watch(_ watcher: @escaping @Sendable (RowChanges) -> Void) { self.watcher.set(watcher) }

    private func note(_ row: Int64) {
        changes.withLock { changes in
            guard changes.nodes.count < Self.limit else {
                changes.isEverything = true
                return
            }
            changes.nodes.insert(NodeID(UInt64(bitPattern: row)))
        }
    }

    /// Returns the changes of the transaction that ends now.
    func take(_ memory: TransactionMemory) -> RowChanges {
        var taken = changes.withLock { changes in
            defer { changes = RowChanges() }
            return changes
        }
        taken.movedFolders = memory.movedFolders
        taken.leftFolders = memory.leftFolders
        taken.changesIgnoreFiles = memory.changesIgnoreFiles
        taken.movesSyncedFolders = memory.movesSyncedFolders
        taken.isEverything = taken.isEverything || memory.changesEverything
        taken.stores = memory.changedStores
        return taken
    }

    func drop() { changes.withLock { $0 = RowChanges() } }

    func notify(_ changes: RowChanges) {
        if !changes.isEmpty { watcher(changes) }
    }
}
