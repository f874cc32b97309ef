import CloudProtocol
import Hummingbird
import Logging
import ServerStorage

/// Passes on requests with a valid token whose scope permits them, together with the device. Runs before any body is
/// read.
struct TokenMiddleware: RouterMiddleware {
    let store: ServerStore
    let connections: Connections
    let audit: Audit

    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard let field = request.headers[.authorization] else { throw Refusals.noToken }
        let sender = request.headers[.sender].flatMap { RequestSender($0) }
        guard let token = DeviceToken(authorization: field),
            let device = try await store.devices.device(with: token, sender: sender?.id)
        else {
            audit.refused("token", context)
            throw Refusals.noToken
        }
        connections.signIn(context.channel, device.account)
        guard device.scope == .full || Self.onlyReads(request, context) else { throw Refusals.readOnly }
        if let cloud = request.headers[.cloudIdentity], cloud != device.cloud { throw Refusals.foreign }
        if let sender { store.senders.note(sender, of: device, from: context.peer) }
        var context = context
        context.signIn(device)
        context.logger[metadataKey: "device"] = "\(device.device)"
        var response = try await next(request, context)
        if device.isResetAsked { response.headers[.resetAsked] = "1" }
        return response
    }

    /// Routes without effects despite their method: listing missing chunks, and signing out or resetting the device
    /// itself. The last two routes of the list only create missing objects, and do their own scope check. Unlisted
    /// routes require full access.
    private static let harmless: Set<String> = [
        "POST /v1/sign-out", "POST /v1/reset", "POST /v1/containers/{container}/missing", "PUT /v1/cloud",
        "PUT /v1/containers/{container}",
    ]

    private static func onlyReads(_ request: Request, _ context: ServerContext) -> Bool {
        request.method == .get || request.method == .head
            || harmless.contains("\(request.method.rawValue) \(context.endpointPath ?? "")")
    }
}
