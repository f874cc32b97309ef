import Basics
import CloudModel
import LocalMetadata
import Synchronization

/// The ignore files of the mount whose patterns apply, as they were read last, and whether they are being read again.
final class IgnoreRules: Sendable {
    /// What was read, and from which row.
    struct Entry: Sendable {
        /// The row, by which a changed file is recognised.
        let row: LocalItem
        /// Nil for a file without an effect.
        let file: IgnoreFile?
        let problem: IgnoreFile.Problem?

        /// Whether its patterns are not known, because its bytes are not here.
        var isUnknown: Bool { file == nil && problem == nil }
    }

    private struct State {
        /// The files that apply, by their folders.
        var entries: [NodeID: Entry] = [:]
        /// All items that are named like ignore files, also those that have no effect.
        var nodes: Set<NodeID> = []
        /// When the rules, or paths that they concern, changed last, until items were included again.
        var changed: Timestamp?
        var isRunning = false
        var isStale = false
    }

    private let state = Mutex(State())

    /// The most files that apply, and the most bytes of patterns in all of them: they are kept in memory.
    static let maximumFiles = 1_000
    static let maximumBytes = 1 << 20

    /// Whether no pattern excludes anything.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// The files that apply, by their folders.
    var entries: [NodeID: Entry] { state.withLock { $0.entries } }

    func set(_ entries: [NodeID: Entry], nodes: Set<NodeID>, at now: Timestamp) {
        state.withLock { ($0.entries, $0.nodes, $0.changed) = (entries, nodes, now) }
    }

    /// Returns whether there was a change since the last call that returned true, and none within the last `pause`.
    func takeChange(pause: Duration, at now: Timestamp) -> Bool {
        state.withLock { state in
            // A change that lies ahead was made before the clock was set back.
            guard let changed = state.changed, changed.adding(pause) <= now || changed > now else { return false }
            state.changed = nil
            return true
        }
    }

    /// Restores what ``takeChange(pause:at:)`` took, after a failure.
    func returnChange(at now: Timestamp) { state.withLock { $0.changed = $0.changed ?? now } }

    /// Returns whether the rules, or what they concern, may have changed with these rows.
    func areConcerned(by changes: RowChanges) -> Bool {
        if changes.changesIgnoreFiles { return true }
        return state.withLock { state in
            guard !state.nodes.isEmpty else { return false }
            return changes.isEverything || changes.movesSyncedFolders || !state.nodes.isDisjoint(with: changes.nodes)
        }
    }

    /// Runs `body`, and again if another call asked for it meanwhile. Returns at once if it runs already: on this thread, in a transaction of
    /// `body` itself, or on another one.
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

    /// Whether the last call of ``refresh(_:)`` failed, so that it has to be repeated.
    var isStale: Bool { state.withLock { $0.isStale && !$0.isRunning } }

    /// Returns whether another run was requested, and ends the run otherwise: in one step, or a request in between would be lost.
    private func isToRun() -> Bool {
        state.withLock { state in
            defer { state.isStale = false }
            state.isRunning = state.isStale
            return state.isStale
        }
    }
}
