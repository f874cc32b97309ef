package import Basics
import Synchronization

/// A clock advanced only by a test.
package final class ManualTime: TimeSource {
    private let current: Mutex<Timestamp>

    package init(_ start: Timestamp) { current = Mutex(start) }

    package func now() -> Timestamp { current.withLock { $0 } }

    package func advance(by duration: Duration) { current.withLock { $0 = $0.adding(duration) } }
}
