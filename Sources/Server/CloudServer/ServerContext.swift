import Hummingbird
import Logging
import NIOCore
import ServerStorage

/// A request's context during handling.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the client: the peer of the connection, or behind a trusted proxy the proxy's client.
    private(set) var peer: String
    /// Whether the client's own connection is encrypted, here or at a trusted proxy.
    private(set) var isEncrypted = false
    /// The connection, closed if its peer stops reading.
    let channel: any Channel
    private(set) var signedIn: SignedInDevice?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }

    /// The address group used by bounds: see ``PeerAddress/group``.
    var peerGroup: String { PeerAddress.group(of: peer) }

    mutating func setClient(_ peer: String, isEncrypted: Bool) {
        self.peer = peer
        self.isEncrypted = isEncrypted
    }

    mutating func signIn(_ device: SignedInDevice) { signedIn = device }

    /// Returns the signed-in device. Routes requiring a token are behind ``TokenMiddleware``.
    func requireDevice() throws -> SignedInDevice {
        guard let signedIn else { throw Refusals.noToken }
        return signedIn
    }

    var device: Int64? { signedIn?.device }
}
