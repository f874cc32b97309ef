package import CloudProtocol
package import CloudStorage

/// Signing a device in and out.
extension ServerConnection {
    /// Exchanges a code for a token.
    ///
    /// - Parameters:
    ///   - secondFactor: A code from the account's authenticator app, or a recovery code.
    ///   - account: The code's required account; nil for any.
    /// - Throws: ``CloudError`` with `unauthorized` for an invalid code, `foreign` for a different account's code,
    ///   which stays valid; see ``CloudError/asksSecondFactor``.
    package func signIn(
        code: String, secondFactor: String? = nil, device: String, account: String? = nil
    ) async throws -> SignInResponse {
        var exchange = Exchange(.post, CloudRoutes.signIn)
        do {
            exchange.body = try WireJSON.encode(
                SignInRequest(code: code, device: device, secondFactor: secondFactor, account: account))
        } catch {
            throw CloudError(.failed, "The request could not be created.", cause: error)
        }
        (exchange.needsToken, exchange.isForAnyCloud) = (false, true)
        let answer = try await json(SignInResponse.self, exchange)
        return SignInResponse(token: answer.token, account: visible(answer.account), device: answer.device)
    }

    /// Ends this device's access on the server.
    package func signOut() async throws {
        var exchange = Exchange(.post, CloudRoutes.signOut)
        exchange.isForAnyCloud = true
        try await send(exchange)
    }
}

extension CloudError {
    /// Whether signing in failed only because the account's second factor was missing or wrong.
    package var asksSecondFactor: Bool { (cause as? CloudFailure)?.code == .secondFactor }
}
