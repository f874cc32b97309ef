import Basics
import CloudProtocol
import DaemonProtocol

/// A server's address with the account to use there: `https://ben@HOST`. Each account has a separate sign-in, and so
/// has an address without an account.
struct ServerSeat {
    let address: ServerAddress
    let account: String?

    init(_ url: String) throws(DaemonFailure) {
        do {
            guard let (scheme, user, rest) = Self.parts(of: url) else {
                (address, account) = (try ServerAddress(url), nil)
                return
            }
            guard let name = PercentCoding.decode(user.utf8).flatMap({ String(validating: $0, as: UTF8.self) }),
                !name.isEmpty
            else { throw ServerAddress.Problem.parts }
            (address, account) = (try ServerAddress(scheme + rest), name)
        } catch {
            throw DaemonFailure(
                .invalidRequest, "not a valid server address, \(error)", path: url,
                advice: "Use http(s)://HOST[:PORT], or http(s)://ACCOUNT@HOST[:PORT].")
        }
    }

    /// Splits `https://ben@host/` before and behind the account and its `@`; nil if it has none.
    private static func parts(of url: String) -> (scheme: String, user: Substring, rest: Substring)? {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let rest = url[start...]
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let at = rest[..<slash].utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return (String(url[..<start]), rest[..<at], rest[rest.utf8.index(after: at)...])
    }

    /// The sign-in's address; without an account, the server's own.
    var description: String {
        account.flatMap { CloudAddress.server(address.description, account: $0) } ?? address.description
    }
}
