import CloudProtocol
import Hummingbird

/// Refuses clients with a different protocol version before reading anything of their request.
struct VersionMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        switch CloudProtocolVersion.relation(of: request.headers[.protocolVersion]) {
        case .same: return try await next(request, context)
        case .older:
            throw CloudFailure(
                .clientTooOld,
                "This server speaks version \(CloudProtocolVersion.current). Update ubiquity on the device.")
        case .newer:
            throw CloudFailure(
                .clientTooNew,
                "This server only speaks version \(CloudProtocolVersion.current). Update ubiquity-server.")
        case .foreign:
            throw CloudFailure(
                .invalidRequest,
                "The header field \(CloudProtocolVersion.header) with the protocol's version is missing.")
        }
    }
}
