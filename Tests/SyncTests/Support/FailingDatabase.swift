import LocalMetadata
import Synchronization

/// Fails calls of a database from when the test says so until it is healed.
final class FailingDatabase: Sendable {
    private let failure = Mutex<(call: DatabaseCall, error: any Error)?>(nil)

    func fail(_ call: DatabaseCall, with error: any Error) { failure.withLock { $0 = (call, error) } }

    func heal() { failure.withLock { $0 = nil } }

    /// For `onCall` of the database.
    @Sendable func pass(_ call: DatabaseCall) throws {
        if let failure = failure.withLock({ $0 }), failure.call == call { throw failure.error }
    }
}
