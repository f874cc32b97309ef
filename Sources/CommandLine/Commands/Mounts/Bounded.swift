import Dispatch
import Synchronization

/// Runs a call that may block for ever on another thread and waits for it no longer than `limit`; nil when that was not enough.
/// The thread is then left to itself: nothing can be done about a call that is stuck in the kernel.
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
