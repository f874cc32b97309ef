import Basics
import GRDB

/// Numbers the rows of `local`. SQLite would write each new number to its table `sqlite_sequence`, an additional page
/// for each transaction that creates an item. Numbers are reserved there in blocks instead. A process's unused numbers
/// are never used.
final class NodeNumbers: Sendable {
    private struct State {
        var free: Range<Int64> = 0..<0
        /// Whether the block was reserved by the running transaction.
        var isUncommitted = false
    }

    static let block: Int64 = 1024

    private let state = RankedMutex(.leaf, State())

    /// Returns an unused number; nil if SQLite has to choose one because it keeps no last number. Called by the sole
    /// writer only.
    func next(_ table: some MetadataTable) throws -> Int64? {
        if let number = state.withLock({ $0.free.popFirst() }) { return number }
        // A damaged database may have numbers above the last.
        let last = try table.optionalNumber(
            """
            SELECT max(seq, coalesce((SELECT max(node) FROM local), 0)) FROM sqlite_sequence WHERE name = 'local'
            """)
        guard let last, last >= 0, last < Int64.max - Self.block else { return nil }
        let end = last + Self.block
        try table.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'local'", [end])
        state.withLock { state in
            state.free = (last + 2)..<(end + 1)
            state.isUncommitted = true
        }
        return last + 1
    }

    /// Ends the transaction: an uncommitted block may be reserved again.
    func transactionEnded(isCommitted: Bool) {
        state.withLock { state in
            if state.isUncommitted, !isCommitted { state.free = 0..<0 }
            state.isUncommitted = false
        }
    }

    /// Forgets the block.
    func reset() { state.withLock { $0 = State() } }
}
