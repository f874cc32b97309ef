import Foundation
import Synchronization

/// Passes a single value to a waiting thread.
final class BlockingPromise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    /// Sets the value and wakes the waiting thread. Only the first value counts.
    func put(_ new: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = new
            return true
        }
        if isFirst { arrival.signal() }
    }

    /// Whether the value is set.
    var isFull: Bool { value.withLock { $0 != nil } }

    /// Waits for the value. May be called only once.
    func take() -> Value {
        while true {
            arrival.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
