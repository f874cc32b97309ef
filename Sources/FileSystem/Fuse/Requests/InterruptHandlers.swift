import Synchronization

/// The handlers to call when a request is interrupted, by the kernel's number of the request. Holds only waiting
/// requests.
///
/// libfuse's own hook is not used: libfuse calls it with the request's lock held, so a reply from the hook would free
/// that lock.
final class InterruptHandlers: Sendable {
    private let handlers = Mutex<[UInt64: @Sendable () -> Void]>([:])

    func insert(_ handler: @escaping @Sendable () -> Void, for unique: UInt64) {
        handlers.withLock { $0[unique] = handler }
    }

    func remove(_ unique: UInt64) -> (@Sendable () -> Void)? {
        handlers.withLock { $0.removeValue(forKey: unique) }
    }

    /// Runs a request's handler, if it has one and has not run it. No lock is held during the call.
    func fire(_ unique: UInt64) { remove(unique)?() }
}
