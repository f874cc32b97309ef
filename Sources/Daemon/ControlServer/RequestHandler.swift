package import DaemonProtocol

/// Handles clients' requests over the control socket. Called from many tasks concurrently.
///
/// A disconnecting client cancels the tasks of its requests: a waiting handler must end with its task's cancellation.
package protocol RequestHandler: Sendable {
    /// The handled calls. The server handles ``HelloRequest`` and ``UnfollowRequest`` itself.
    var calls: CallRegistry { get }

    /// Handles a request. Throws ``DaemonFailure``; any other error reaches the client as `failed`.
    func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse

    /// Handles or begins a request on the thread reading the connection, if it need not wait for a disk or a program.
    /// Otherwise does nothing, and ``handle(_:from:)`` is called.
    ///
    /// - Returns: Nil if nothing was done.
    func respondAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptResponse?

    /// Returns a request's events, delivered individually as fast as the client reads. The request ends with them.
    ///
    /// - Returns: Nil for a request without events.
    func stream(
        _ request: DaemonRequest, from client: ClientContext
    ) async throws -> AsyncThrowingStream<DaemonEvent, any Error>?

    /// Called when the response to `request` has been written: the place to stop the daemon after a `stop`.
    func didRespond(_ request: DaemonRequest) async

    /// This connection's client has disconnected. Called as soon as that is known, and again when the last of its
    /// requests has ended.
    func ended(_ connection: UInt64)
}

package enum PromptResponse: Sendable {
    package typealias Rest = @Sendable () async throws -> DaemonResponse

    case now(DaemonResponse)
    /// The request was begun; the associated value is the rest of ``RequestHandler/handle(_:from:)``.
    case later(Rest)

    var rest: Rest {
        switch self {
        case .now(let response): { response }
        case .later(let rest): rest
        }
    }
}

extension RequestHandler {
    package func respondAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptResponse? { nil }
    package func stream(
        _ request: DaemonRequest, from client: ClientContext
    ) async throws -> AsyncThrowingStream<DaemonEvent, any Error>? { nil }
    package func didRespond(_ request: DaemonRequest) async {}
    package func ended(_ connection: UInt64) {}
}
