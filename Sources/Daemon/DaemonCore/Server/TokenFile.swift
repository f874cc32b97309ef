import Basics
import DaemonProtocol
import Glibc
import Synchronization

/// The token of a sign-in file, read again when the file was replaced: signing in needs no restart of the daemon.
final class TokenFile: Sendable {
    private struct Known {
        var stamp: Stamp?
        var record: ServerSignIn?
    }

    /// Distinguishes one file under a name from the next.
    private struct Stamp: Equatable {
        let inode: UInt64
        let modified: Timestamp
    }

    /// Where a sign-in is saved.
    let path: String
    /// Where an earlier version saved it.
    private let formerPath: String
    private let server: String
    private let known = Mutex(Known())

    init(_ paths: StandardPaths, server: String) {
        path = paths.signInFile(server: server)
        formerPath = paths.formerSignInFile(server: server)
        self.server = server
    }

    /// Nil while this device is not signed in at the server.
    var token: String? { record?.token }

    var record: ServerSignIn? {
        let (file, stamp) = current()
        return known.withLock { known in
            if known.stamp != stamp || stamp == nil {
                known = Known(stamp: stamp, record: stamp == nil ? nil : ServerSignIn.load(from: file, server: server))
            }
            return known.record
        }
    }

    /// What is gone already is what is wanted.
    func remove() {
        unlink(path)
        if ServerSignIn.load(from: formerPath, server: server) != nil { unlink(formerPath) }
    }

    private func current() -> (file: String, stamp: Stamp?) {
        if let stamp = stamp(of: path) { return (path, stamp) }
        return (formerPath, stamp(of: formerPath))
    }

    private func stamp(of path: String) -> Stamp? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        return Stamp(inode: UInt64(information.st_ino), modified: Timestamp(information.st_mtim))
    }
}
