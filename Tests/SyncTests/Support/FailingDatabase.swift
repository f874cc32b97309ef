import LocalMetadata
import Synchronization

/// Lets calls of a database fail from `fail` until `heal`.
final class FailingDatabase: Sendable {
    private let failure = Mutex<(call: DatabaseCall, error: any Error)?>(nil)

    func fail(_ call: DatabaseCall, with error: any Error) { failure.withLock { $0 = (call, error) } }

    func heal() { failure.withLock { $0 = nil } }

    /// Fails the call chosen by the test. For the database's `onCall`.
    @Sendable func pass(_ call: DatabaseCall) throws {
        if let failure = failure.withLock({ $0 }), failure.call == call { throw failure.error }
    }
}
