import CloudModel
import LocalMetadata
import Synchronization

/// Emblems of quiet documents, by their paths, as computed from the present rows of the database; all are dropped with the next write of any
/// row. A file manager asks for the documents of a folder again and again, and mostly nothing has changed.
final class EmblemCache: Sendable {
    struct Entry: Sendable {
        let node: NodeID
        let emblem: DocumentEmblem
    }

    private struct State {
        var snapshot: UInt64 = 0
        var entries: [[UInt8]: Entry] = [:]
    }

    private let state = Mutex(State())
    /// Some windows of a file manager, each with a request of the largest size.
    private static let limit = 4_000

    /// Returns what is known at this ``MetadataDatabase/snapshot``.
    func entries(_ snapshot: UInt64) -> [[UInt8]: Entry] {
        state.withLock { $0.snapshot == snapshot ? $0.entries : [:] }
    }

    /// Keeps emblems that were computed from rows that were read after `snapshot`.
    func put(_ entries: [[UInt8]: Entry], _ snapshot: UInt64) {
        state.withLock { state in
            guard snapshot >= state.snapshot else { return }
            if snapshot > state.snapshot || state.entries.count + entries.count > Self.limit { state.entries = [:] }
            state.snapshot = snapshot
            state.entries.merge(entries) { _, new in new }
        }
    }
}
