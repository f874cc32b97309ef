import LocalMetadata
import Synchronization

/// Results that were computed from the present rows of the database; all are dropped with the next write of any row.
final class SnapshotCache<Key: Hashable & Sendable, Entry: Sendable>: Sendable {
    private struct State {
        var snapshot: UInt64 = 0
        var entries: [Key: Entry] = [:]
    }

    private let state = Mutex(State())
    /// More entries than this drop the earlier ones.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Parameter snapshot: ``MetadataDatabase/snapshot``.
    subscript(key: Key, snapshot: UInt64) -> Entry? {
        state.withLock { $0.snapshot == snapshot ? $0.entries[key] : nil }
    }

    /// Returns what is known at this ``MetadataDatabase/snapshot``.
    func entries(_ snapshot: UInt64) -> [Key: Entry] {
        state.withLock { $0.snapshot == snapshot ? $0.entries : [:] }
    }

    /// Keeps results that were computed from rows that were read after `snapshot`.
    func put(_ entries: [Key: Entry], _ snapshot: UInt64) {
        state.withLock { state in
            guard snapshot >= state.snapshot else { return }
            if snapshot > state.snapshot || state.entries.count + entries.count > limit { state.entries = [:] }
            state.snapshot = snapshot
            state.entries.merge(entries) { $1 }
        }
    }
}
