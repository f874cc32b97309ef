import Foundation
import Synchronization

/// Hands one value from one thread to another that waits for it.
final class BlockingPromise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    /// The first value counts.
    func put(_ new: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = new
            return true
        }
        if isFirst { arrival.signal() }
    }

    /// Something is in it.
    var isFull: Bool { value.withLock { $0 != nil } }

    /// Waits. To be called once.
    func take() -> Value {
        while true {
            arrival.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
