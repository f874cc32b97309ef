import Basics
import Synchronization

/// How often the log is told of key-value stores: a program that writes a key at every turn of a wheel makes few entries. What is
/// held back is gathered, and told with the next.
final class KeyValuePace: Sendable {
    /// So many at once, and one more for each pause.
    static let burst = 15.0
    static let pause = Duration.seconds(6)

    private struct Allowance {
        var left = KeyValuePace.burst
        var at = Timestamp.zero

        mutating func refill(at now: Timestamp) {
            // A clock that was set back gives nothing, and takes nothing.
            let passed = Duration.nanoseconds(max(0, now.nanoseconds &- at.nanoseconds))
            left = min(KeyValuePace.burst, left + passed / KeyValuePace.pause)
            at = now
        }
    }

    private let allowance = Mutex(Allowance())

    /// Whether something may be told now. Whoever waits for everything to be in the cloud does not wait for this.
    func mayTell(at now: Timestamp, isHurried: Bool) -> Bool {
        isHurried
            || allowance.withLock { allowance in
                allowance.refill(at: now)
                return allowance.left >= 1
            }
    }

    func noteTold(at now: Timestamp) {
        allowance.withLock { allowance in
            allowance.refill(at: now)
            allowance.left = max(0, allowance.left - 1)
        }
    }
}
