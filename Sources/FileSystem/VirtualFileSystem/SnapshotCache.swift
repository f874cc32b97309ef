import LocalMetadata
import Synchronization

/// Results computed from the database's current rows; all are dropped with the next write of any row.
final class SnapshotCache<Key: Hashable & Sendable, Entry: Sendable>: Sendable {
    private struct State {
        var snapshot: UInt64 = 0
        var entries: [Key: Entry] = [:]
    }

    private let state = Mutex(State())
    /// Beyond this number, earlier entries are dropped.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Parameter snapshot: ``MetadataDatabase/snapshot``.
    subscript(key: Key, snapshot: UInt64) -> Entry? {
        state.withLock { $0.snapshot == snapshot ? $0.entries[key] : nil }
    }

    /// Returns the results known at this ``MetadataDatabase/snapshot``.
    func entries(_ snapshot: UInt64) -> [Key: Entry] {
        state.withLock { $0.snapshot == snapshot ? $0.entries : [:] }
    }

    /// Keeps results computed from rows read after `snapshot`.
    func put(_ entries: [Key: Entry], _ snapshot: UInt64) {
        state.withLock { state in
            guard snapshot >= state.snapshot else { return }
            if snapshot > state.snapshot || state.entries.count + entries.count > limit { state.entries = [:] }
            state.snapshot = snapshot
            state.entries.merge(entries) { $1 }
        }
    }
}
