package import DaemonProtocol

/// Calls the handler registered for a request's verb. A registration suffices to add a call to the daemon.
package struct CallRouter: Sendable {
    package typealias Events = AsyncThrowingStream<DaemonEvent, any Error>
    private typealias Handle<Result> = @Sendable (any DaemonCall, ClientContext) async throws -> Result

    private struct Route: Sendable {
        let handle: Handle<DaemonResponse>
        var atOnce: (@Sendable (any DaemonCall, ClientContext) -> PromptResponse?)?
        var events: Handle<Events>?
        var afterwards: (@Sendable () -> Void)?
    }

    package private(set) var calls = CallRegistry()
    private var routes: [String: Route] = [:]

    package init() {}

    /// Registers the handler of a call.
    ///
    /// - Parameter afterwards: Called when a response, not a failure, has been written.
    package mutating func on<Call: DaemonCall>(
        _ handle: @escaping @Sendable (Call, ClientContext) async throws -> Call.Response,
        afterwards: (@Sendable () -> Void)? = nil
    ) {
        var route = Route { call, client in DaemonResponse(try await handle(try Self.typed(call), client)) }
        route.afterwards = afterwards
        add(Call.self, route)
    }

    /// Registers a handler that begins a call without waiting, on the thread reading the connection, and may finish it
    /// later; see ``RequestHandler/respondAtOnce(_:from:)``.
    package mutating func on<Call: DaemonCall>(
        _ call: Call.Type, prompt begin: @escaping @Sendable (Call, ClientContext) -> PromptResponse
    ) {
        var route = Route { call, client in try await begin(try Self.typed(call), client).rest() }
        route.atOnce = { call, client in (call as? Call).map { begin($0, client) } }
        add(call, route)
    }

    /// Registers a client-independent handler.
    package mutating func on<Call: DaemonCall>(
        _ handle: @escaping @Sendable (Call) async throws -> Call.Response, afterwards: (@Sendable () -> Void)? = nil
    ) {
        on({ (call: Call, _) in try await handle(call) }, afterwards: afterwards)
    }

    /// Registers the source of a call's events.
    package mutating func onEvents<Call: DaemonCall>(
        of call: Call.Type, _ events: @escaping @Sendable (Call, ClientContext) async throws -> Events
    ) where Call.Response == DoneResponse {
        var route = Route { _, _ in throw DaemonFailure(.invalidRequest, "this request has events") }
        route.events = { call, client in try await events(try Self.typed(call), client) }
        add(call, route)
    }

    private mutating func add<Call: DaemonCall>(_ call: Call.Type, _ route: Route) {
        assert(routes[Call.verb] == nil, "two handlers for \(Call.verb)")
        calls.add(call)
        routes[Call.verb] = route
    }

    /// Casts a call to its type. A failure means that two calls have the same verb, which is a programming error.
    private static func typed<Call: DaemonCall>(_ call: any DaemonCall) throws -> Call {
        guard let call = call as? Call else { throw DaemonFailure(.failed, "two calls have the verb \(Call.verb)") }
        return call
    }

    // MARK: Requests

    package func handle(_ request: DaemonRequest, from client: ClientContext) async throws -> DaemonResponse {
        guard let route = routes[request.verb] else {
            throw DaemonFailure(.unsupported, "the daemon has no handler for \(request.verb)")
        }
        return try await route.handle(request.call, client)
    }

    package func respondAtOnce(_ request: DaemonRequest, from client: ClientContext) -> PromptResponse? {
        routes[request.verb]?.atOnce?(request.call, client)
    }

    /// - Returns: Nil for a call without events.
    package func events(_ request: DaemonRequest, from client: ClientContext) async throws -> Events? {
        try await routes[request.verb]?.events?(request.call, client)
    }

    package func didRespond(_ request: DaemonRequest) { routes[request.verb]?.afterwards?() }
}
