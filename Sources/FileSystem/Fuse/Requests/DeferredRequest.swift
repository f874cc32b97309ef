import Synchronization

/// A request with a later reply. Closures can capture it, and the first of them to take it replies, once.
///
/// Two closures may race for it, such as the end of a download and an interrupt: ``take()`` gives the request to only
/// one of them. If the object is deallocated with the request in it, the program gets EIO.
package final class DeferredRequest<Reply>: Sendable {
    private let request: Mutex<FuseRequest<Reply>?>

    init(_ request: consuming FuseRequest<Reply>) { self.request = Mutex(consume request) }

    /// Takes the request; the caller must reply to it. Nil if it has already been taken.
    package func take() -> FuseRequest<Reply>? {
        request.withLock { $0.take() }
    }

    /// Calls `handler` once if the program stops waiting before the request is taken: on the thread reading the
    /// interrupt, or on this thread if the interrupt has already arrived. `handler` should take the request and fail it
    /// with EINTR.
    package func onInterrupt(_ handler: @escaping @Sendable () -> Void) {
        let isLate = request.withLock { $0?.watchInterrupt(handler) ?? false }
        if isLate { handler() }
    }
}
