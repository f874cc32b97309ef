import CloudProtocol
import CloudStorage
package import DaemonProtocol
import HTTPCloud
package import Logging

/// Ways of this device to a server: the backend of a mount, and signing in and out.
package enum ServerAccess {
    static func backend(_ url: String, _ logger: Logger) throws(DaemonFailure) -> any CloudBackend {
        let address = try address(url)
        let file = TokenFile(StandardPaths.current.signInFile(server: address.description))
        return HTTPBackend(address: address, logger: logger) { file.token }
    }

    /// Exchanges a code for a token and keeps that. Signing in again replaces what was kept.
    package static func signIn(
        to url: String, code: String, device: String, logger: Logger
    ) async throws(DaemonFailure) -> ServerSignIn {
        let address = try address(url)
        let file = StandardPaths.current.signInFile(server: address.description)
        let connection = ServerConnection(address: address, logger: logger) { nil }
        do {
            let answer = try await connection.signIn(code: code, device: device)
            let record = ServerSignIn(
                server: address.description, account: answer.account, device: answer.device, token: answer.token)
            try record.save(to: file)
            return record
        } catch { throw failure(error, file) }
    }

    /// The account that this device is signed in as at a server; nil where it is not.
    static func account(at url: String) -> String? {
        // An address that is not usable has no sign-in either.
        guard let address = try? ServerAddress(url) else { return nil }
        return ServerSignIn.load(from: StandardPaths.current.signInFile(server: address.description))?.account
    }

    /// Ends the device's access on the server and forgets its token. With `onlyHere` the server is not asked.
    package static func signOut(of url: String, onlyHere: Bool, logger: Logger) async throws(DaemonFailure) {
        let address = try address(url)
        let file = TokenFile(StandardPaths.current.signInFile(server: address.description))
        guard file.token != nil else {
            throw DaemonFailure(.notFound, "this device is not signed in there", path: address.description)
        }
        do {
            if !onlyHere { try await ServerConnection(address: address, logger: logger) { file.token }.signOut() }
        } catch {
            // A token that the server does not take any more is signed out.
            guard let error = error as? CloudError, error.code == .unauthorized else { throw failure(error, file.path) }
        }
        file.remove()
    }

    private static func address(_ url: String) throws(DaemonFailure) -> ServerAddress {
        do { return try ServerAddress(url) } catch {
            throw DaemonFailure(
                .invalidRequest, "the server's address is not usable, \(error)", path: url,
                advice: "Use http(s)://HOST[:PORT].")
        }
    }

    private static func failure(_ error: any Error, _ file: String) -> DaemonFailure {
        guard let error = error as? CloudError else {
            return DaemonFailure(.failed, "the token can not be kept (\(error))", path: file)
        }
        let code: DaemonFailure.Code =
            switch error.code {
            case .offline: .offline
            case .unauthorized: .permissionDenied
            case .tooNew, .tooOld: .versionMismatch
            default: .failed
            }
        return DaemonFailure(code, sentences: error.message)
    }
}
