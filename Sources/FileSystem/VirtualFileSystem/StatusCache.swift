import LocalMetadata
import Synchronization

/// States of items as computed from the present rows of the database; all are dropped with the next write of any row.
final class StatusCache: Sendable {
    struct Entry: Sendable {
        let item: LocalItem
        /// The progress that the state includes. It changes without a write.
        let progress: TransferFractions
        let status: DocumentStatus
    }

    private struct State {
        var snapshot: UInt64 = 0
        var entries: [NodeID: Entry] = [:]
    }

    private let state = Mutex(State())
    /// Programs request the attributes of one item after the other.
    private static let limit = 64

    /// - Parameter snapshot: ``MetadataDatabase/snapshot``.
    subscript(node: NodeID, snapshot: UInt64) -> Entry? {
        state.withLock { $0.snapshot == snapshot ? $0.entries[node] : nil }
    }

    /// Keeps a state that was computed from rows that were read after `snapshot`.
    func put(_ entry: Entry, _ snapshot: UInt64) {
        state.withLock { state in
            guard snapshot >= state.snapshot else { return }
            if snapshot > state.snapshot || state.entries.count >= Self.limit { state.entries = [:] }
            state.snapshot = snapshot
            state.entries[entry.item.node] = entry
        }
    }
}
