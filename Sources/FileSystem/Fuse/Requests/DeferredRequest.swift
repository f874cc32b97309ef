import Synchronization

/// A request whose reply comes later: can be captured by closures, and is replied to once, by the first of them.
///
/// Two may race for it, say a download that ends and an interrupt: ``take()`` gives the request to one of them. If the
/// object goes away with the request in it, the program gets EIO.
package final class DeferredRequest<Reply>: Sendable {
    private let request: Mutex<FuseRequest<Reply>?>

    init(_ request: consuming FuseRequest<Reply>) { self.request = Mutex(consume request) }

    /// The request, to be answered by the caller; nil if someone else has taken it.
    package func take() -> FuseRequest<Reply>? {
        request.withLock { $0.take() }
    }

    /// Calls `handler` once if the program stops waiting before the request is taken: on the thread that reads the
    /// interrupt, or on this one if it has come already. It should take the request and fail it with EINTR.
    package func onInterrupt(_ handler: @escaping @Sendable () -> Void) {
        let isLate = request.withLock { $0?.watchInterrupt(handler) ?? false }
        if isLate { handler() }
    }
}
