package import Basics
import Synchronization

/// The system's clock, which a test can set ahead.
package final class ShiftedTime: TimeSource {
    private let ahead = Mutex(Duration.zero)

    package init() {}

    package func now() -> Timestamp { SystemTime().now().adding(ahead.withLock { $0 }) }
    package func advance(by duration: Duration) { ahead.withLock { $0 += duration } }
}
