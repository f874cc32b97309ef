import CloudProtocol
import CloudStorage
import HTTPTransport

/// A link to a chunk in a server's bucket, in place of the chunk.
struct DirectLink: Hashable, Sendable {
    let url: String

    /// - Parameter address: The responding server. A link without TLS is accepted only from a server reached without
    ///   TLS.
    /// - Returns: Nil for a response without a link.
    /// - Throws: ``UnusableLink`` for a forbidden link.
    init?(_ response: HTTPResponse, from address: ServerAddress) throws(UnusableLink) {
        guard response.status == 307 else { return nil }
        let url = response.header("Location") ?? ""
        let isEncrypted = url.hasPrefix("https://")
        guard url.utf8.count <= DirectDownload.longestLink, isEncrypted || url.hasPrefix("http://"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !url.prefix(while: { $0 != "?" }).contains("@")
        else { throw UnusableLink(reason: "it is not an address") }
        guard isEncrypted || !address.isEncrypted else { throw UnusableLink(reason: "it is not encrypted") }
        // A server must not direct devices' requests to their own machine and network.
        let isHere = PrivateHost.isPrivate(PrivateHost.host(of: address.description))
        guard isHere || !PrivateHost.isPrivate(PrivateHost.host(of: url)) else {
            throw UnusableLink(reason: "it leads into a private network")
        }
        self.url = url
    }
}

/// An unusable link to a chunk: the server has to send the chunk.
struct UnusableLink: Error {
    let reason: String
}

/// Whether links are requested: not for a while after an unusable link, since each attempt may take until a time-out.
/// Pure.
struct DirectLinkPolicy: Sendable {
    static let pause = Duration.seconds(600)
    private var failed: ContinuousClock.Instant?

    mutating func noteFailure(at now: ContinuousClock.Instant) { failed = now }

    func isAllowed(at now: ContinuousClock.Instant) -> Bool { failed.map { now - $0 >= Self.pause } ?? true }
}
