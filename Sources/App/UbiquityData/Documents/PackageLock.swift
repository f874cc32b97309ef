import Basics
import Glibc

/// A file lock, flock(2), released when the process ends. Processes using a document hold it shared; moving or removing
/// the document takes it exclusively.
final class PackageLock: Sendable {
    enum Mode { case shared, exclusive }

    private let file: Int32

    private init(_ file: Int32) { self.file = file }

    deinit { close(file) }

    /// Returns nil if another process, or another object of this process, has the lock.
    static func take(_ path: String, _ mode: Mode) throws(Errno) -> PackageLock? {
        let file = try check("open \(path)") { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        let lock = PackageLock(file)
        do throws(Errno) {
            try check("flock \(path)") { flock(file, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return nil
        }
        // The document may have been moved between the two calls; then this lock is for its former place.
        var (opened, named) = (stat(), stat())
        guard fstat(file, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino else { return nil }
        return lock
    }

    /// As ``take(_:_:)``, but waits for a briefly held lock.
    ///
    /// - Parameter limit: In milliseconds.
    static func wait(_ path: String, limit: Int32) throws(Errno) -> PackageLock? {
        var waited: Int32 = 0
        while true {
            if let lock = try take(path, .exclusive) { return lock }
            guard waited < limit else { return nil }
            // flock(2) has no timeout, and sends no event.
            poll(nil, 0, 20)
            waited += 20
        }
    }
}
