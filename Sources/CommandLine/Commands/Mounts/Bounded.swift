import Dispatch
import Synchronization

/// Runs a potentially blocking call on a separate thread, and waits for it at most `limit`; returns nil if it takes
/// longer. The thread is then abandoned, since a call stuck in the kernel cannot be ended.
func bounded<Result: Sendable>(within limit: Duration, _ body: @escaping @Sendable () -> Result) -> Result? {
    let box = ResultBox<Result>()
    DispatchQueue.global().async {
        let result = body()
        box.value.withLock { $0 = result }
        box.done.signal()
    }
    guard box.done.wait(timeout: .now() + limit / .seconds(1)) == .success else { return nil }
    return box.value.withLock { $0 }
}

private final class ResultBox<Result: Sendable>: Sendable {
    let value = Mutex<Result?>(nil)
    let done = DispatchSemaphore(value: 0)
}
