import Basics
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// Which rows of the local tree a transaction has changed.
package struct RowChanges: Sendable {
    /// Changed, made or removed.
    package var nodes: Set<NodeID> = []
    /// Folders that moved, or got what was in another: everything below has another path.
    package var movedFolders: Set<NodeID> = []
    /// Folders that an item left or was removed from.
    package var leftFolders: Set<NodeID> = []
    /// More than is worth counting.
    package var isEverything = false
    /// Key-value stores of which something changed.
    package var stores: Set<ContainerID> = []

    package init() {}

    package var isEmpty: Bool {
        nodes.isEmpty && movedFolders.isEmpty && leftFolders.isEmpty && !isEverything && stores.isEmpty
    }
}

/// Gathers the rows that SQLite says it changes (sqlite.org/c3ref/update_hook.html), until the transaction ends. Costs nothing that could
/// be measured while nobody watches.
final class RowChangeLog: Sendable {
    private let changes = Mutex(RowChanges())
    private let watcher = Hook<RowChanges>()
    private let isWatched = Atomic(false)

    private static let limit = 50_000

    /// To be called once for the connection that writes.
    func follow(_ db: Database) {
        // The connection and this belong to one database object, which closes the one before it lets go of the other.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_update_hook(
            db.sqliteConnection,
            { context, _, _, table, row in
                guard let context, let table, strcmp(table, "local") == 0 else { return }
                Unmanaged<RowChangeLog>.fromOpaque(context).takeUnretainedValue().note(row)
            }, context)
    }

    /// Tells `watcher` of every transaction that changed anything, from the thread that ran it, after it was committed.
    func watch(_ watcher: @escaping @Sendable (RowChanges) -> Void) {
        self.watcher.set(watcher)
        isWatched.store(true, ordering: .releasing)
    }

    private func note(_ row: Int64) {
        guard isWatched.load(ordering: .relaxed) else { return }
        changes.withLock { changes in
            guard changes.nodes.count < Self.limit else {
                changes.isEverything = true
                return
            }
            changes.nodes.insert(NodeID(UInt64(bitPattern: row)))
        }
    }

    /// What the transaction that ends now has changed.
    func take(_ memory: TransactionMemory) -> RowChanges {
        var taken = changes.withLock { changes in
            defer { changes = RowChanges() }
            return changes
        }
        taken.movedFolders = memory.movedFolders
        taken.leftFolders = memory.leftFolders
        taken.isEverything = taken.isEverything || memory.changesEverything
        taken.stores = memory.changedStores
        return taken
    }

    func drop() { changes.withLock { $0 = RowChanges() } }

    func tell(_ changes: RowChanges) {
        if !changes.isEmpty { watcher(changes) }
    }
}
