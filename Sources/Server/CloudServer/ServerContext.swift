import Hummingbird
import Logging
import NIOCore
import ServerStorage

/// What is known of a request while it is answered.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Whose request it is: the other end of the connection, or behind a trusted proxy its client.
    private(set) var peer: String
    /// Whether the client's own connection is encrypted, here or at a trusted proxy.
    private(set) var isEncrypted = false
    /// The connection, to be ended where its other end takes nothing any more.
    let channel: any Channel
    private(set) var signedIn: SignedInDevice?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }

    /// What bounds for an address count as one: see ``PeerAddress/group``.
    var peerGroup: String { PeerAddress.group(of: peer) }

    mutating func setClient(_ peer: String, isEncrypted: Bool) {
        self.peer = peer
        self.isEncrypted = isEncrypted
    }

    mutating func signIn(_ device: SignedInDevice) { signedIn = device }

    /// Routes that need a token are behind ``TokenMiddleware``.
    func requireDevice() throws -> SignedInDevice {
        guard let signedIn else { throw Refusals.noToken }
        return signedIn
    }

    var device: Int64? { signedIn?.device }
}
