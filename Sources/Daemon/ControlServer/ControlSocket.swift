package import Basics
import DaemonProtocol
import Glibc

/// A listening unix socket. Clients can connect from now on; ``SocketServer`` serves them.
package struct ControlSocket: ~Copyable {
    private let descriptor: Int32

    /// Listens at `path`, and replaces the socket of an earlier daemon. The caller holds the lock of the state
    /// directory, so no running daemon owns that socket.
    package static func listen(at path: String) throws(Errno) -> ControlSocket {
        guard unlink(path) == 0 || errno == ENOENT else { throw Errno(errno, "unlink") }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = ControlSocket(descriptor: try check("socket") { Glibc.socket(AF_UNIX, kind, 0) })
        try ControlSocketAddress.with(path: path) { address, length throws(Errno) in
            _ = try check("bind") { bind(socket.descriptor, address, length) }
        }
        // The peer's credentials are checked as well: file modes of sockets are not honoured everywhere.
        try check("chmod") { chmod(path, 0o600) }
        try check("listen") { Glibc.listen(socket.descriptor, 128) }
        return socket
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Transfers the descriptor to its new owner.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    deinit { close(descriptor) }
}
