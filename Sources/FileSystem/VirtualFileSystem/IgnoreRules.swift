import Basics
import CloudModel
import LocalMetadata
import Synchronization

/// The mount's applicable ignore files, as read last, and whether they are being reread.
final class IgnoreRules: Sendable {
    /// A file's content, and its row when read.
    struct Entry: Sendable {
        /// The row, for recognising changes.
        let row: LocalItem
        /// Nil for a file without an effect.
        let file: IgnoreFile?
        let problem: IgnoreFile.Problem?

        /// Whether its patterns are unknown, because its bytes are missing.
        var isUnknown: Bool { file == nil && problem == nil }
    }

    private struct State {
        /// The applicable files, by their folders.
        var entries: [NodeID: Entry] = [:]
        /// All items with an ignore file's name, even without effect.
        var nodes: Set<NodeID> = []
        /// When the rules, or paths concerned by them, changed last, until items were included again.
        var changed: Timestamp?
        var isRunning = false
        var isStale = false
    }

    private let state = Mutex(State())

    /// The most applicable files, and the most bytes of patterns in all of them: they are kept in memory.
    static let maximumFiles = 1_000
    static let maximumBytes = 1 << 20

    /// Whether no pattern excludes anything.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// The applicable files, by their folders.
    var entries: [NodeID: Entry] { state.withLock { $0.entries } }

    func set(_ entries: [NodeID: Entry], nodes: Set<NodeID>, at now: Timestamp) {
        state.withLock { ($0.entries, $0.nodes, $0.changed) = (entries, nodes, now) }
    }

    /// Returns whether there was a change since the last call returning true, and none within the last `pause`.
    func takeChange(pause: Duration, at now: Timestamp) -> Bool {
        state.withLock { state in
            // A change in the future is from before the clock was set back.
            guard let changed = state.changed, changed.adding(pause) <= now || changed > now else { return false }
            state.changed = nil
            return true
        }
    }

    /// Restores the change taken by ``takeChange(pause:at:)``, after a failure.
    func returnChange(at now: Timestamp) { state.withLock { $0.changed = $0.changed ?? now } }

    /// Returns whether these rows may have changed the rules, or paths concerned by them.
    func areConcerned(by changes: RowChanges) -> Bool {
        if changes.changesIgnoreFiles { return true }
        return state.withLock { state in
            guard !state.nodes.isEmpty else { return false }
            return changes.isEverything || changes.movesSyncedFolders || !state.nodes.isDisjoint(with: changes.nodes)
        }
    }

    /// Runs `body`, and again if requested meanwhile. Returns immediately if it is already running: on this thread, in
    /// a transaction of `body` itself, or elsewhere.
    ///
    /// - Throws: The error of `body`; ``isStale`` is set then.
    func refresh(_ body: () throws -> Void) rethrows {
        let isFirst = state.withLock { state in
            state.isStale = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        while isToRun() {
            do { try body() } catch {
                state.withLock { ($0.isStale, $0.isRunning) = (true, false) }
                throw error
            }
        }
    }

    /// Whether the last call of ``refresh(_:)`` failed and has to be repeated.
    var isStale: Bool { state.withLock { $0.isStale && !$0.isRunning } }

    /// Returns whether a rerun was requested, and ends the run otherwise: atomically, or a request in between would be
    /// lost.
    private func isToRun() -> Bool {
        state.withLock { state in
            defer { state.isStale = false }
            state.isRunning = state.isStale
            return state.isStale
        }
    }
}
