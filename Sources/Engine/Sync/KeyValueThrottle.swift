import Basics
import LocalMetadata
import Synchronization

/// How often keys of a store are appended to the log: a program that writes a key at every turn of a wheel makes few entries, and holds up no
/// other program's settings. What is held back is sent with the next batch.
final class KeyValueThrottle: Sendable {
    /// So many at once, and one more for each pause.
    static let burst = 15.0
    static let pause = Duration.seconds(6)

    private struct Allowance {
        var left = KeyValueThrottle.burst
        var at: Timestamp

        mutating func refill(at now: Timestamp) {
            // A clock that was set back gives nothing, and takes nothing.
            let passed = Duration.nanoseconds(max(0, now.nanoseconds &- at.nanoseconds))
            left = min(KeyValueThrottle.burst, left + passed / KeyValueThrottle.pause)
            at = now
        }
    }

    /// Of the stores that sent something lately; any other may send as much as one can.
    private let allowances = Mutex<[ContainerID: Allowance]>([:])

    /// Whether keys of a store may be sent now. A wait for everything to be in the cloud does not include this.
    func maySend(of store: ContainerID, at now: Timestamp, isUrgent: Bool) -> Bool {
        isUrgent
            || allowances.withLock { allowances in
                allowances[store]?.refill(at: now)
                return allowances[store].map { $0.left >= 1 } ?? true
            }
    }

    func noteSent(of store: ContainerID, at now: Timestamp) {
        allowances.withLock { allowances in
            for known in allowances.keys { allowances[known]?.refill(at: now) }
            allowances = allowances.filter { $0.key == store || $0.value.left < KeyValueThrottle.burst }
            let left = allowances[store]?.left ?? KeyValueThrottle.burst
            allowances[store] = Allowance(left: max(0, left - 1), at: now)
        }
    }
}
