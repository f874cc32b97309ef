import CloudProtocol
import Hummingbird
import Logging
import ServerStorage
import Synchronization

/// Signing in and out.
final class AccountRoutes: Sendable {
    private let store: ServerStore
    private let reader: BodyReader
    private let limiter = Mutex(SignInLimiter())
    private let start = ContinuousClock.now

    init(_ store: ServerStore, _ reader: BodyReader) {
        self.store = store
        self.reader = reader
    }

    func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let isAllowed = limiter.withLock { $0.allows(context.peer, now: ContinuousClock.now - start) }
        guard isAllowed else {
            throw CloudFailure(.busy, "Too many tries to sign in; wait a minute.")
        }
        let body = try await reader.collect(request, upTo: CloudLimits.json)
        let message = try WireJSON.decode(SignInRequest.self, from: body)
        guard let code = SignInCode(typed: message.code) else {
            throw CloudFailure(.unauthorized, "That is no sign-in code: it has four groups of four letters and digits.")
        }
        let answer = try await store.signIn(code: code, device: message.device)
        context.logger.notice("a device signed in", metadata: ["device": "\(answer.device)"])
        return try .json(answer)
    }

    /// The device has read that it is to reset itself, and does.
    func confirmReset(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await store.confirmReset(of: context.requireDevice())
        context.logger.notice("a device resets itself")
        return .done
    }

    func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        let device = try context.requireDevice().device
        _ = try await store.revoke(device: device)
        context.logger.notice("a device signed out")
        return .done
    }
}
