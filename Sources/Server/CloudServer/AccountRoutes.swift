import CloudProtocol
import Hummingbird
import Logging
import ServerStorage

/// Device sign-in and sign-out routes.
final class AccountRoutes: Sendable {
    private let store: ServerStore
    private let reader: BodyReader
    private let attempts: AttemptLimiter
    private let audit: Audit

    init(_ store: ServerStore, _ reader: BodyReader, _ audit: Audit) {
        self.store = store
        self.reader = reader
        self.audit = audit
        attempts = AttemptLimiter("device", store)
    }

    func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard try await attempts.allows(context.peerGroup) else {
            audit.refused("tooMany", context)
            throw CloudFailure(.busy, "Too many attempts to sign in; wait a minute.")
        }
        let body = try await reader.collect(request, upTo: CloudLimits.json)
        let message = try WireJSON.decode(SignInRequest.self, from: body)
        guard let code = SignInCode(typed: message.code) else {
            audit.refused("code", context)
            throw CloudFailure(
                .unauthorized, "This is not a sign-in code, which has four groups of four letters and digits.")
        }
        do {
            let answer = try await store.devices.signIn(
                code: code, secondFactor: message.secondFactor, device: message.device,
                account: message.account)
            audit.note("device signed in", context, account: answer.account, ["device": "\(answer.device)"])
            return try .json(answer)
        } catch let error as StorageError {
            if let reason = Audit.reason(error) { audit.refused(reason, context) }
            throw error
        }
    }

    /// Records that the device begins the requested reset.
    func confirmReset(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await store.devices.confirmReset(of: context.requireDevice())
        await audit.note("device resets itself", context, account: try context.requireDevice().account)
        return .done
    }

    func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        let device = try context.requireDevice()
        _ = try await store.devices.revoke(device: device.device)
        await audit.note("device signed out", context, account: device.account)
        return .done
    }
}
