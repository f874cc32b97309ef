import Synchronization

/// Whether a client waits for everything to be in the cloud.
package final class Urgency: Sendable {
    private let waiting = Mutex(0)
    var isUrgent: Bool { waiting.withLock { $0 > 0 } }
    package func begin() { waiting.withLock { $0 += 1 } }
    package func end() { waiting.withLock { $0 -= 1 } }
}
