import Basics
import DaemonProtocol
import Glibc
import Synchronization

/// The token in a sign-in file. A replaced file is read again, so signing in requires no restart of the daemon.
final class TokenFile: Sendable {
    private struct Known {
        var stamp: Stamp?
        var record: ServerSignIn?
    }

    /// Identifies a version of the file.
    private struct Stamp: Equatable {
        let inode: UInt64
        let modified: Timestamp
    }

    /// The path of the sign-in file.
    let path: String
    private let server: String
    private let known = Mutex(Known())

    init(_ paths: StandardPaths, server: String) {
        path = paths.signInFile(server: server)
        self.server = server
    }

    /// The token; nil while this device is not signed in at the server.
    var token: String? { record?.token }

    var record: ServerSignIn? {
        let stamp = self.stamp
        return known.withLock { known in
            if known.stamp != stamp || stamp == nil {
                known = Known(stamp: stamp, record: stamp == nil ? nil : ServerSignIn.load(from: path, server: server))
            }
            return known.record
        }
    }

    /// Removes the file; a missing file is no error.
    func remove() { unlink(path) }

    /// Nil if there is no file.
    private var stamp: Stamp? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        return Stamp(inode: UInt64(information.st_ino), modified: Timestamp(information.st_mtim))
    }
}
