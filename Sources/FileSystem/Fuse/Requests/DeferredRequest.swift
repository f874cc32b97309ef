import Synchronization

/// A request whose reply is sent later. Closures can capture it, and the first of them that takes it replies, once.
///
/// Two closures may race for it, such as the end of a download and an interrupt: ``take()`` gives the request to one of them. If the object
/// is deallocated with the request in it, the program gets EIO.
package final class DeferredRequest<Reply>: Sendable {
    private let request: Mutex<FuseRequest<Reply>?>

    init(_ request: consuming FuseRequest<Reply>) { self.request = Mutex(consume request) }

    /// Takes the request, to which the caller must reply; nil if it has already been taken.
    package func take() -> FuseRequest<Reply>? {
        request.withLock { $0.take() }
    }

    /// Calls `handler` once if the program stops waiting before the request is taken: on the thread that reads the interrupt, or on this
    /// one if the interrupt has already arrived. `handler` should take the request and fail it with EINTR.
    package func onInterrupt(_ handler: @escaping @Sendable () -> Void) {
        let isLate = request.withLock { $0?.watchInterrupt(handler) ?? false }
        if isLate { handler() }
    }
}
