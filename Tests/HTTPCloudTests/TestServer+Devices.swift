import CloudProtocol
import HTTPCloud
import ServerSupport
import Testing

extension TestServer {
    var port: Int {
        get throws { try #require(url.split(separator: ":").last.flatMap { Int($0) }) }
    }

    /// Signs in another device of the account and returns its token.
    func token(of account: String = "anna") async throws -> String { try await signIn(of: account).token }

    /// Returns the connected backend of a new device of the account.
    func device(of account: String = "anna") async throws -> HTTPBackend { try await connect(token(of: account)) }
}
