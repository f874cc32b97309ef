import LocalMetadata
import Synchronization

/// Names given by a remote change to other items, or to none, without the kernel having been notified yet. A program
/// calling by such a name may have been shown the previous item, so it would move or remove the wrong item, and the
/// kernel's cache would show that item under the new name from then on.
///
/// A name is added on commit, before the next transaction can begin. So a transaction sees the names of every change
/// whose rows it sees.
final class StaleNames: Sendable {
    private struct State {
        var changes: UInt64 = 0
        /// With the number of the change.
        var names: [DocumentPlace: UInt64] = [:]
    }

    private let state = Mutex(State())

    /// The number of changes so far: later reads include them.
    var changes: UInt64 { state.withLock { $0.changes } }

    func add(_ places: some Sequence<DocumentPlace>) {
        state.withLock { state in
            state.changes += 1
            for place in places { state.names[place] = state.changes }
        }
    }

    /// Notes that the kernel knows a name's meaning as of that number of changes.
    func notified(_ place: DocumentPlace, asOf changes: UInt64) {
        state.withLock { state in
            if let change = state.names[place], change <= changes { state.names[place] = nil }
        }
    }

    func contains(_ place: DocumentPlace) -> Bool { state.withLock { $0.names[place] != nil } }
}
