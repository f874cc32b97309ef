import Glibc
import NIOCore

/// The peer process of a unix socket: `struct ucred` of SO_PEERCRED (unix(7)), recorded at connect(2).
struct PeerCredentials: Hashable, Sendable {
    var processID: Int32 = 0
    var userID: UInt32 = .max
    var groupID: UInt32 = .max

    /// Returns whether the peer is the same user, or root.
    func mayControl(daemonOf userID: UInt32) -> Bool { self.userID == userID || self.userID == 0 }

    static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        // The type has the layout of `struct ucred`, as the call requires: pid_t, uid_t, gid_t.
        return options.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}
