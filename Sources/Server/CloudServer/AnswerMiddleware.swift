import CloudProtocol
import HTTPTypes
import Hummingbird
import Logging

/// The outermost layer: turns every error into an answer, says which protocol this is, and logs what was done. A log line has the
/// pattern of the path, never the path: names of containers and digests of documents are nobody's business.
struct AnswerMiddleware: RouterMiddleware {
    let metrics: ServerMetrics

    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response: Response
        do { response = try await next(request, context) } catch {
            response = try answer(to: error, request, context)
        }
        response.headers[.protocolVersion] = String(CloudProtocolVersion.current)
        let duration = ContinuousClock.now - start
        metrics.count(
            ServerMetrics.Kind(
                method: Self.method(request), route: route(context), status: response.status.code), took: duration)
        log(request, context, response, duration)
        return response
    }

    private func answer(to error: any Error, _ request: Request, _ context: ServerContext) throws -> Response {
        let failure = Refusals.failure(of: error)
        if failure.code == .failed {
            context.logger.error("a request failed", metadata: ["route": "\(route(context))", "error": "\(error)"])
        }
        var headers: HTTPFields = [:]
        if failure.code == .busy { headers[.retryAfter] = "10" }
        if failure.code == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        return try .json(failure, status: HTTPResponse.Status(code: failure.code.status), headers: headers)
    }

    private func log(_ request: Request, _ context: ServerContext, _ response: Response, _ duration: Duration) {
        let isNews = response.status.code >= 400
        context.logger.log(
            level: isNews ? .info : .debug, "request",
            metadata: [
                "method": "\(request.method)", "route": "\(route(context))", "status": "\(response.status.code)",
                "milliseconds": "\(duration / .milliseconds(1))",
            ])
    }

    /// Anybody may make methods up; they count as one.
    private static func method(_ request: Request) -> String {
        let method = request.method.rawValue
        return ["GET", "HEAD", "PUT", "POST", "DELETE"].contains(method) ? method : "other"
    }

    private func route(_ context: ServerContext) -> String { context.endpointPath ?? "none" }
}
