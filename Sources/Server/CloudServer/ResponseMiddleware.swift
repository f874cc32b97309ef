import CloudProtocol
import HTTPTypes
import Hummingbird
import Logging

/// The outermost layer: turns every error into a response, adds the protocol version, and logs the request. A log line has the pattern of
/// the path, never the path: names of containers and digests of documents are private.
struct ResponseMiddleware: RouterMiddleware {
    let metrics: ServerMetrics
    let proxies: TrustedProxies
    /// Whether this server itself speaks TLS.
    let isEncrypted: Bool

    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let context = known(request, context)
        var response: Response
        do {
            try Self.refuseAmbiguity(of: request)
            try Self.refuseBody(of: request)
            response = try await next(request, context)
        } catch {
            response = try answer(to: error, request, context)
        }
        addHeaders(to: &response, context)
        let duration = ContinuousClock.now - start
        metrics.count(
            ServerMetrics.Kind(
                method: Self.method(request), route: route(context), status: response.status.code), took: duration)
        log(request, context, response, duration)
        return response
    }

    /// Sets the request's client, which a trusted proxy knows better than the connection.
    private func known(_ request: Request, _ context: ServerContext) -> ServerContext {
        var context = context
        let peer = PeerAddress(context.peer)
        let isTrusted = peer.map { proxies.contains($0) } ?? false
        let client = peer.map { proxies.client(of: $0, forwarded: request.headers[values: .forwardedFor]) }
        context.setClient(
            client.map { "\($0)" } ?? context.peer,
            isEncrypted: isEncrypted || (isTrusted && request.headers[.forwardedProtocol] == "https"))
        return context
    }

    /// Refuses anything that a proxy in front of this server may have read differently: two hosts (RFC 9112, 3.2), a
    /// body in an unknown coding (RFC 9112, 6.1), and empty path segments, which the router would drop.
    private static func refuseAmbiguity(of request: Request) throws {
        // The first field is the authority.
        guard request.headers[.host] == nil else {
            throw CloudFailure(.invalidRequest, "The request has two fields Host.")
        }
        guard request.head.hasKnownFraming else {
            throw CloudFailure(.invalidRequest, "The request's Transfer-Encoding is not supported.")
        }
        guard !request.uri.path.contains("//") else {
            throw CloudFailure(.notFound, "There is nothing at this path.")
        }
    }

    /// Refuses a body that no route reads, because it would hold the connection.
    private static func refuseBody(of request: Request) throws {
        guard request.method == .get || request.method == .head else { return }
        let length = request.headers[.contentLength].map { Int($0) ?? 1 } ?? 0
        guard length == 0, request.headers[.transferEncoding] == nil else {
            throw CloudFailure(.invalidRequest, "A \(request.method) request must not have a body.")
        }
    }

    /// Adds headers controlling how a browser treats the response; pages set more specific ones.
    private func addHeaders(to response: inout Response, _ context: ServerContext) {
        response.headers[.protocolVersion] = String(CloudProtocolVersion.current)
        let defaults: HTTPFields = [
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'; sandbox",
            .contentTypeOptions: "nosniff",
        ]
        for field in defaults where response.headers[field.name] == nil { response.headers[field.name] = field.value }
        if context.isEncrypted { response.headers[.strictTransportSecurity] = "max-age=31536000" }
    }

    private func answer(to error: any Error, _ request: Request, _ context: ServerContext) throws -> Response {
        let failure = Refusals.failure(of: error)
        if failure.code == .failed {
            context.logger.error("a request failed", metadata: ["route": "\(route(context))", "error": "\(error)"])
        }
        var headers: HTTPFields = [:]
        if failure.code == .busy { headers[.retryAfter] = "10" }
        if failure.code == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if request.isFromBrowser { return .problem(failure, root: request.consoleRoot, headers: headers) }
        return try .json(failure, status: HTTPResponse.Status(code: failure.code.status), headers: headers)
    }

    private func log(_ request: Request, _ context: ServerContext, _ response: Response, _ duration: Duration) {
        // Invalid requests are not the server's fault, and every client can cause them; ``Audit`` logs refused sign-ins.
        context.logger.log(
            level: response.status.code >= 500 ? .info : .debug, "request",
            metadata: [
                "method": "\(request.method)", "route": "\(route(context))", "status": "\(response.status.code)",
                "milliseconds": "\(duration / .milliseconds(1))",
            ])
    }

    /// Returns the method for metrics. Clients can invent methods; all unknown methods count together.
    private static func method(_ request: Request) -> String {
        let method = request.method.rawValue
        return ["GET", "HEAD", "PUT", "POST", "DELETE"].contains(method) ? method : "other"
    }

    private func route(_ context: ServerContext) -> String { context.endpointPath ?? "none" }
}
