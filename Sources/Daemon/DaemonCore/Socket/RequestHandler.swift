package import DaemonProtocol

/// Serves what clients ask over the control socket. Called from many tasks at once.
///
/// A client that goes away cancels the tasks of its requests: a handler that waits must end with its task's cancellation.
package protocol RequestHandler: Sendable {
    /// Handles any request but `hello` (the server's) and `watch` (see ``events(for:from:)``). Throws ``DaemonFailure``;
    /// any other error reaches the client as `failed`.
    func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse

    /// Handles or begins it without waiting for a disk or for anybody, on the thread that reads the connection; nil, and nothing is done, where
    /// that can not be. ``handle(_:from:)`` is called then.
    func answerAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptAnswer?

    /// The state now and after each change. Must buffer a bounded number of events, as a client may read slowly.
    func events(for request: WatchRequest, from client: ClientContext) async throws -> AsyncStream<DaemonEvent>

    /// What the presenters of this connection are sent. Taken one by one, as fast as the client reads.
    func letters(for client: ClientContext) async throws -> AsyncStream<DaemonEvent>

    /// Events of a request that lasts (``DaemonRequest/isStream``), taken one by one as fast as the client reads; their end is the request's.
    /// Nil for others.
    func stream(
        _ request: DaemonRequest, from client: ClientContext
    ) async throws -> AsyncThrowingStream<DaemonEvent, any Error>?

    /// Called when `request` was done and the answer has been written: the place to stop the daemon after a `stop`.
    func didAnswer(_ request: DaemonRequest) async

    /// The client of this connection is gone. Called as soon as that is known, and again when the last of its requests has ended.
    func ended(_ connection: UInt64)
}

package enum PromptAnswer: Sendable {
    package typealias Rest = @Sendable () async throws -> DaemonResponse

    case now(DaemonResponse)
    /// The request was begun; this is what is left of ``RequestHandler/handle(_:from:)``.
    case later(Rest)

    var rest: Rest {
        switch self {
        case .now(let response): { response }
        case .later(let rest): rest
        }
    }
}

extension RequestHandler {
    package func answerAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptAnswer? { nil }
    package func letters(for client: ClientContext) async throws -> AsyncStream<DaemonEvent> {
        throw DaemonFailure(.unsupported, "there are no presenters here")
    }
    package func stream(
        _ request: DaemonRequest, from client: ClientContext
    ) async throws -> AsyncThrowingStream<DaemonEvent, any Error>? { nil }
    package func didAnswer(_ request: DaemonRequest) async {}
    package func ended(_ connection: UInt64) {}
}

/// Who asks.
package struct ClientContext: Hashable, Sendable {
    /// Never the same for two connections of a daemon.
    package let connection: UInt64
    /// The number that the client gave its request.
    package let request: UInt64
    package let processID: Int32
    package let userID: UInt32
    /// What the client called itself.
    package let program: String

    package init(connection: UInt64, request: UInt64, processID: Int32, userID: UInt32, program: String) {
        self.connection = connection
        self.request = request
        self.processID = processID
        self.userID = userID
        self.program = program
    }
}
