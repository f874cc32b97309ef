import CloudProtocol
import HTTPCloud
import ServerSupport
import Testing

extension TestServer {
    var port: Int {
        get throws { try #require(url.split(separator: ":").last.flatMap { Int($0) }) }
    }

    /// Lets one more device of the account in.
    func token(of account: String = "anna") async throws -> String { try await signIn(of: account).token }

    /// A device's backend with one container, connected.
    func device(of account: String = "anna") async throws -> HTTPBackend { try await connect(token(of: account)) }
}
