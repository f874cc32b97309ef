import Basics
import GRDB
import GRDBSQLite
import Glibc

/// Gathers a transaction's changed rows, as reported by SQLite (sqlite.org/c3ref/update_hook.html).
final class RowChangeLog: Sendable {
    private struct State {
        var changes = RowChanges()
        /// Rows as of the last statement that changed them, where known.
        var written: [NodeID: LocalItem] = [:]
    }

    private let state = RankedMutex(.leaf, State())
    private let watcher = Hook<RowChanges>()

    private static let limit = 50_000
    private static let writtenLimit = 256

    /// Registers the hook. Must be called once for the writing connection.
    func follow(_ db: Database) {
        // The connection and this object belong to one database object, which closes the connection before it releases
        // this object.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_update_hook(
            db.sqliteConnection,
            { context, _, _, table, row in
                guard let context, let table, strcmp(table, "local") == 0 else { return }
                Unmanaged<RowChangeLog>.fromOpaque(context).takeUnretainedValue().note(row)
            }, context)
    }

    /// Calls `watcher` after the commit of every transaction with changes, on the transaction's thread.
    func watch(_ watcher: @escaping @Sendable (RowChanges) -> Void) { self.watcher.set(watcher) }

    private func note(_ row: Int64) {
        let node = NodeID(UInt64(bitPattern: row))
        state.withLock { state in
            state.written[node] = nil
            guard state.changes.nodes.count < Self.limit else {
                state.changes.isEverything = true
                return
            }
            state.changes.nodes.insert(node)
        }
    }

    /// Notes a row's new state after a statement.
    func wrote(_ item: LocalItem) {
        state.withLock { state in
            if state.written.count < Self.writtenLimit { state.written[item.node] = item }
        }
    }

    /// Notes a row's new number.
    func renumbered(_ node: NodeID) { state.withLock { $0.written[node] = nil } }

    /// Returns the row written by this transaction; `committed` if it has not changed the row.
    func row(_ node: NodeID, orElse committed: () -> LocalItem?) -> LocalItem? {
        let (written, isChanged) = state.withLock { state in
            (state.written[node], state.changes.isEverything || state.changes.nodes.contains(node))
        }
        return written ?? (isChanged ? nil : committed())
    }

    /// Returns the changes of the ending transaction, and its written rows as far as they are known.
    func take(_ memory: TransactionMemory) -> (RowChanges, [NodeID: LocalItem]) {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        var taken = state.changes
        taken.movedFolders = memory.movedFolders
        taken.leftFolders = memory.leftFolders
        taken.changesIgnoreFiles = memory.changesIgnoreFiles
        taken.movesSyncedFolders = memory.movesSyncedFolders
        taken.isEverything = taken.isEverything || memory.changesEverything
        taken.stores = memory.changedStores
        return (taken, state.written)
    }

    func drop() { state.withLock { $0 = State() } }

    func notify(_ changes: RowChanges) {
        if !changes.isEmpty { watcher(changes) }
    }
}
