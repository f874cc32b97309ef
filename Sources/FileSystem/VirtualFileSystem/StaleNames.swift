import LocalMetadata
import Synchronization

/// Names that a change from elsewhere gave to other items, or to none, and of which the kernel has not been notified. A call by such a name may come
/// from a program that was shown the item which had it, so it would move or remove another one, and the kernel's cache would show that item under
/// the new name from then on.
///
/// A name is added when the change is committed, before another transaction can begin. So a transaction sees the names of every change whose
/// rows it sees.
final class StaleNames: Sendable {
    private struct State {
        var changes: UInt64 = 0
        /// With the number of the change.
        var names: [DocumentPlace: UInt64] = [:]
    }

    private let state = Mutex(State())

    /// A number of the changes so far: what is read afterwards has them.
    var changes: UInt64 { state.withLock { $0.changes } }

    func add(_ places: some Sequence<DocumentPlace>) {
        state.withLock { state in
            state.changes += 1
            for place in places { state.names[place] = state.changes }
        }
    }

    /// Notes that the kernel knows what a name meant after that number of changes.
    func notified(_ place: DocumentPlace, asOf changes: UInt64) {
        state.withLock { state in
            if let change = state.names[place], change <= changes { state.names[place] = nil }
        }
    }

    func contains(_ place: DocumentPlace) -> Bool { state.withLock { $0.names[place] != nil } }
}
