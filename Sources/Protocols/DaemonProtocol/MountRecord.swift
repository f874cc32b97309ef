import Glibc

/// The entry of a daemon in the registry, by which clients find it while it serves a mount.
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

    package static let currentFormat: UInt32 = 1

    package init(mount: String, pid: Int32, state: String, socket: String) {
        format = Self.currentFormat
        self.mount = mount
        self.pid = pid
        self.state = state
        self.socket = socket
    }

    /// Whether a process with this id exists (kill(2) with signal 0). The id may belong to another process by now; the socket shows that.
    package var isRunning: Bool { kill(pid, 0) == 0 || errno != ESRCH }

    var fileName: String { "\(fingerprint(mount)).json" }
}
