import Glibc

/// A daemon's entry in the registry, for clients to find it while it serves a mount.
package struct MountRecord: Codable, Hashable, Sendable {
    /// The version of this file's format; other formats are ignored.
    package let format: UInt32
    /// The mount point, absolute and without symlinks.
    package let mount: String
    package let pid: Int32
    /// The state directory.
    package let state: String
    /// The control socket.
    package let socket: String
    /// The number of the mount's connection in the kernel (``FuseControl``).
    package let connection: UInt32?

    package static let currentFormat: UInt32 = 1

    package init(mount: String, pid: Int32, state: String, socket: String, connection: UInt32? = nil) {
        format = Self.currentFormat
        self.mount = mount
        self.pid = pid
        self.state = state
        self.socket = socket
        self.connection = connection
    }

    /// Whether a process with this id exists and has not begun to end. The id may belong to a different process by now;
    /// the socket shows that.
    package var isRunning: Bool { (kill(pid, 0) == 0 || errno != ESRCH) && ProcessEnd.of(pid) == nil }

    var fileName: String { "\(fingerprint(mount)).json" }
}
