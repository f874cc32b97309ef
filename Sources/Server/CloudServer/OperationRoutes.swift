import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage

/// What watches over a server ask: whether it is well, and its numbers.
struct OperationRoutes: Sendable {
    let store: ServerStore
    let metrics: ServerMetrics
    let health: HealthWatch
    let budget: MemoryBudget

    func health(_ request: Request, _ context: ServerContext) throws -> Response {
        if let failure = health.failure { throw failure }
        return try .json(["status": "ok"])
    }

    /// For clients with the token of the data directory: the numbers show how much each account stores.
    func metrics(_ request: Request, _ context: ServerContext) async throws -> Response {
        let token = try await store.metricsToken()
        guard let field = request.headers[.authorization], isEqual(field, "Bearer \(token)") else {
            throw CloudFailure(
                .unauthorized, "The metrics need the token in the file metrics-token of the data directory.")
        }
        var text = MetricsText()
        metrics.registry.write(to: &text)
        text.add(try await store.statistics())
        text.add(
            ProcessUse.now(), uptime: ContinuousClock.now - metrics.start, health: health.isWell,
            bodyBytes: budget.used)
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }

    /// In constant time.
    private func isEqual(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
