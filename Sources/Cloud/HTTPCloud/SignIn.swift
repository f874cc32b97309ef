package import CloudProtocol
import CloudStorage

/// Signing a device in and out.
extension ServerConnection {
    /// Exchanges a code for a token. Throws `unauthorized` for one that is not valid.
    package func signIn(code: String, device: String) async throws -> SignInAnswer {
        var exchange = Exchange(.post, CloudRoutes.signIn)
        do { exchange.body = try WireJSON.encode(SignInRequest(code: code, device: device)) } catch {
            throw CloudError(.failed, "The request could not be made.", cause: error)
        }
        (exchange.needsToken, exchange.isForAnyCloud) = (false, true)
        let answer = try await json(SignInAnswer.self, exchange)
        return SignInAnswer(token: answer.token, account: visible(answer.account), device: answer.device)
    }

    /// Ends this device's access on the server.
    package func signOut() async throws {
        var exchange = Exchange(.post, CloudRoutes.signOut)
        exchange.isForAnyCloud = true
        try await send(exchange)
    }
}
