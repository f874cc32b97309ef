import Basics

/// Recently changed or read rows, as committed: programs look at files they have just created, changed or listed.
///
/// After each write the kernel drops a file's attributes, and after each change of its entries a folder's, and requests
/// them with the next call. Without these rows that request would be a read transaction.
final class RecentRows: Sendable {
    private struct Generations {
        var young: [NodeID: LocalItem] = [:]
        /// The rows that were young before the last ones became too many.
        var old: [NodeID: LocalItem] = [:]

        mutating func insert(_ item: LocalItem) {
            if young.count >= RecentRows.limit {
                old = young
                young = [:]
            }
            young[item.node] = item
        }

        mutating func remove(_ node: NodeID) {
            young[node] = nil
            old[node] = nil
        }
    }

    private let rows = RankedMutex(.leaf, Generations())
    /// Half of the cached rows, each of at most ``mostBytes`` beyond its fixed size.
    private static let limit = 2048
    private static let mostBytes = 1024

    /// Returns a row as of the last transaction; nil if it is not kept. Must not be used during a write transaction,
    /// except by it.
    subscript(node: NodeID) -> LocalItem? {
        rows.withLock { $0.young[node] ?? $0.old[node] }
    }

    /// Keeps a transaction's written rows, and drops its other changed rows. Must be called before the transaction
    /// counts as ended.
    ///
    /// - Parameter written: Rows as of the end of the transaction.
    func update(_ changes: RowChanges, written: [NodeID: LocalItem]) {
        rows.withLock { rows in
            if changes.isEverything {
                rows = Generations()
            } else {
                for node in changes.nodes { rows.remove(node) }
            }
            for item in written.values where Self.isSmall(item) { rows.insert(item) }
        }
    }

    /// Caches a row after reading it.
    ///
    /// - Parameter isCurrent: Whether no transaction has begun since before the row was read. Called while no
    ///   transaction can end.
    func keep(_ item: LocalItem, if isCurrent: () -> Bool) {
        guard Self.isSmall(item) else { return }
        rows.withLock { rows in
            if isCurrent() { rows.insert(item) }
        }
    }

    var all: [LocalItem] { rows.withLock { $0.old.merging($0.young) { $1 } }.map(\.value) }

    func removeAll() { rows.withLock { $0 = Generations() } }

    private static func isSmall(_ item: LocalItem) -> Bool {
        let texts = (item.downloadError?.utf8.count ?? 0) + (item.uploadError?.utf8.count ?? 0)
        return item.roughSize + item.ranges.count + texts <= mostBytes
    }
}
