import CloudProtocol
import CloudStorage
import HTTPTransport

/// A link to a chunk in the bucket of a server, in place of the chunk.
struct DirectLink: Hashable, Sendable {
    let url: String

    /// - Parameter address: The server of the response. A link without TLS is accepted only from a server that is reached without TLS.
    /// - Returns: Nil for a response that has no link.
    /// - Throws: ``UnusableLink`` for a link that must not be followed.
    init?(_ response: HTTPResponse, from address: ServerAddress) throws(UnusableLink) {
        guard response.status == 307 else { return nil }
        let url = response.header("Location") ?? ""
        let isEncrypted = url.hasPrefix("https://")
        guard url.utf8.count <= DirectDownload.longestLink, isEncrypted || url.hasPrefix("http://"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !url.prefix(while: { $0 != "?" }).contains("@")
        else { throw UnusableLink(reason: "it is not an address") }
        guard isEncrypted || !address.isEncrypted else { throw UnusableLink(reason: "it is not encrypted") }
        // A server must not make devices send requests to their own machine and network.
        let isHere = PrivateHost.isPrivate(PrivateHost.host(of: address.description))
        guard isHere || !PrivateHost.isPrivate(PrivateHost.host(of: url)) else {
            throw UnusableLink(reason: "it leads into a private network")
        }
        self.url = url
    }
}

/// The link to a chunk could not be used: the server has to send the chunk.
struct UnusableLink: Error {
    let reason: String
}

/// Whether links are requested: not for a while after one could not be used, since each attempt may take until a time-out. Pure.
struct DirectLinkPolicy: Sendable {
    static let pause = Duration.seconds(600)
    private var failed: ContinuousClock.Instant?

    mutating func noteFailure(at now: ContinuousClock.Instant) { failed = now }

    func isAllowed(at now: ContinuousClock.Instant) -> Bool { failed.map { now - $0 >= Self.pause } ?? true }
}
