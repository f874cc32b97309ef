import CloudProtocol
import Hummingbird
import Logging
import ServerStorage

/// Lets requests through whose token is valid, and tells the routes whose it is. Runs before any body is read.
struct TokenMiddleware: RouterMiddleware {
    let store: ServerStore
    let connections: Connections
    let audit: Audit

    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard let field = request.headers[.authorization] else { throw Refusals.noToken }
        guard let token = DeviceToken(authorization: field), let device = try await store.device(with: token) else {
            audit.refused("token", context)
            throw Refusals.noToken
        }
        connections.signIn(context.channel, device.account)
        if let cloud = request.headers[.cloudIdentity] {
            switch try await store.relation(of: cloud, to: device) {
            case .same: break
            case .renamed: throw Refusals.renamed
            case .foreign: throw Refusals.foreign
            }
        }
        var context = context
        context.signIn(device)
        context.logger[metadataKey: "device"] = "\(device.device)"
        var response = try await next(request, context)
        if device.isResetAsked { response.headers[.resetAsked] = "1" }
        return response
    }
}
