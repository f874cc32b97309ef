import Hummingbird
import Logging
import NIOCore
import ServerStorage

/// What is known of a request while it is answered.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Of the other end of the connection, which behind a proxy is the proxy.
    let peer: String
    /// The connection, to be ended where its other end takes nothing any more.
    let channel: any Channel
    private(set) var signedIn: SignedInDevice?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }

    mutating func signIn(_ device: SignedInDevice) { signedIn = device }

    /// Routes that need a token are behind ``TokenMiddleware``.
    func requireDevice() throws -> SignedInDevice {
        guard let signedIn else { throw Refusals.noToken }
        return signedIn
    }

    var device: Int64? { signedIn?.device }
}
