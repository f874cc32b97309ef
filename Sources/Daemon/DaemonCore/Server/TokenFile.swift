import DaemonProtocol
import Glibc
import Synchronization

/// The token of a sign-in file, read again when the file was replaced: signing in needs no restart of the daemon.
final class TokenFile: Sendable {
    private struct Known {
        var stamp: Stamp?
        var token: String?
    }

    /// Tells one file under a name from the next.
    private struct Stamp: Equatable {
        let inode: UInt64
        let seconds: Int
        let nanoseconds: Int
    }

    let path: String
    private let known = Mutex(Known())

    init(_ path: String) { self.path = path }

    /// Nil while this device is not signed in.
    var token: String? {
        let stamp = stamp()
        return known.withLock { known in
            if known.stamp != stamp || stamp == nil {
                known = Known(stamp: stamp, token: stamp == nil ? nil : ServerSignIn.load(from: path)?.token)
            }
            return known.token
        }
    }

    /// What is gone already is what is wanted.
    func remove() { unlink(path) }

    private func stamp() -> Stamp? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        return Stamp(
            inode: UInt64(information.st_ino), seconds: information.st_mtim.tv_sec,
            nanoseconds: information.st_mtim.tv_nsec)
    }
}
