import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage

/// The routes for monitoring: the server's health and its metrics.
struct OperationRoutes: Sendable {
    let store: ServerStore
    let metrics: ServerMetrics
    let health: HealthWatch
    let readiness: Readiness
    let budget: MemoryBudget

    func health(_ request: Request, _ context: ServerContext) throws -> Response {
        if let failure = health.failure { throw failure }
        return try .json(HealthResponse(status: "ok", warning: health.setBack?.message))
    }

    /// Succeeds whenever the process handles requests. A supervisor restarts a process that does not; a failed database
    /// is no reason for a restart.
    func live(_ request: Request, _ context: ServerContext) throws -> Response { try .json(["status": "live"]) }

    /// Succeeds if a load balancer should send requests here; otherwise the status is 503 and the body says why.
    func ready(_ request: Request, _ context: ServerContext) throws -> Response {
        if let problem = readiness.problem { return try .json(problem, status: .serviceUnavailable) }
        return try .json(["status": "ready"])
    }

    /// Returns the metrics to clients with the server's token: the numbers show how much each account stores.
    func metrics(_ request: Request, _ context: ServerContext) async throws -> Response {
        let token = try await store.metricsToken()
        guard let field = request.headers[.authorization], isEqual(field, "Bearer \(token)") else {
            throw CloudFailure(
                .unauthorized, "The metrics need the token that `ubiquity-server metrics-token` prints.")
        }
        var text = MetricsText()
        metrics.registry.write(to: &text)
        text.add(try await store.statistics())
        text.add(try await store.setBack())
        text.add(
            ProcessUse.now(), uptime: ContinuousClock.now - metrics.start, health: health.isWell,
            bodyBytes: budget.used)
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }

    /// Compares in constant time.
    private func isEqual(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The response of `/health` while the server works.
private struct HealthResponse: Encodable {
    let status: String
    /// Why the server's owner should look at it although it works; nil if there is no reason.
    let warning: String?
}
