package import Basics
import Synchronization

/// The system's clock, which a test can set ahead or stop.
package final class ShiftedTime: TimeSource {
    private let ahead = Mutex(Duration.zero)
    private let stopped = Mutex<Timestamp?>(nil)

    package init() {}

    package func now() -> Timestamp { (stopped.withLock { $0 } ?? SystemTime().now()).adding(ahead.withLock { $0 }) }
    package func advance(by duration: Duration) { ahead.withLock { $0 += duration } }

    /// From now on the time only passes by ``advance(by:)``.
    package func stop() { stopped.withLock { $0 = SystemTime().now() } }
}
