package import DaemonProtocol

/// Handles what clients request over the control socket. Called from many tasks at once.
///
/// A client that disconnects cancels the tasks of its requests: a handler that waits must end with its task's cancellation.
package protocol RequestHandler: Sendable {
    /// The calls that are handled. The server handles ``HelloRequest`` and ``UnfollowRequest`` itself.
    var calls: CallRegistry { get }

    /// Handles a request. Throws ``DaemonFailure``; any other error reaches the client as `failed`.
    func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse

    /// Handles or begins a request on the thread that reads the connection, if it need not wait for a disk or for another program.
    /// Otherwise does nothing, and ``handle(_:from:)`` is called.
    ///
    /// - Returns: Nil if nothing was done.
    func respondAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptResponse?

    /// Returns the events of a request that sends some, read one by one as fast as the client reads. The request ends with them.
    ///
    /// - Returns: Nil for any other request.
    func stream(
        _ request: DaemonRequest, from client: ClientContext
    ) async throws -> AsyncThrowingStream<DaemonEvent, any Error>?

    /// Called when the response to `request` has been written: the place to stop the daemon after a `stop`.
    func didRespond(_ request: DaemonRequest) async

    /// The client of this connection has disconnected. Called as soon as that is known, and again when the last of its requests has ended.
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
