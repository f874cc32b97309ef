import Synchronization

/// The rows of folders whose entries were changed a moment ago.
///
/// After each such change the kernel drops the folder's attributes, and requests them with the next call in that folder, to check
/// permissions. Without these rows that request would be a read transaction, whose connection has to read its pages again after each write.
final class FolderRows: Sendable {
    private let rows = Mutex<[NodeID: LocalItem]>([:])
    /// Programs change few folders at a time.
    private static let limit = 64

    /// Returns a row as the last transaction left it. Must not be used while a write transaction runs.
    subscript(node: NodeID) -> LocalItem? { rows.withLock { $0[node] } }

    /// Must be called before a transaction counts as ended.
    ///
    /// - Parameter touched: The rows of folders whose entries it changed, as they are at its end.
    func update(_ changes: RowChanges, _ touched: [NodeID: LocalItem]) {
        rows.withLock { rows in
            if changes.isEverything || rows.count + touched.count > Self.limit {
                rows = [:]
            } else if !rows.isEmpty {
                for node in changes.nodes { rows[node] = nil }
            }
            guard touched.count <= Self.limit else { return }
            rows.merge(touched) { $1 }
        }
    }

    func removeAll() { rows.withLock { $0 = [:] } }
}
