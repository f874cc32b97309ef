import Glibc
import Synchronization

/// The file for a daemon's standard error: `daemon.log` in the state directory. When it is long it becomes
/// `daemon.log.1`, and a new file begins.
package final class LogFile: Sendable {
    private let path: String
    private let limit: Int
    private let lines = Atomic<UInt64>(0)
    private let rotation = Mutex(())
    /// The number of lines between checks of the length.
    private static let linesBetweenLooks: UInt64 = 512

    /// - Parameter limit: The length in bytes at which a new file is begun.
    package init(_ path: String, limit: Int = 16 << 20) {
        self.path = path
        self.limit = limit
    }

    func noteLine() {
        guard lines.wrappingAdd(1, ordering: .relaxed).newValue.isMultiple(of: Self.linesBetweenLooks) else { return }
        rotateIfLong()
    }

    /// Begins a new file if the current file is long. Does nothing if the standard error goes elsewhere, or no file can
    /// be created.
    package func rotateIfLong() {
        rotation.withLock { _ in
            var (written, named) = (stat(), stat())
            guard fstat(STDERR_FILENO, &written) == 0, written.st_size > limit, stat(path, &named) == 0,
                (written.st_dev, written.st_ino) == (named.st_dev, named.st_ino), rename(path, "\(path).1") == 0
            else { return }
            let new = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard new >= 0 else { return }
            dup2(new, STDERR_FILENO)
            dup2(new, STDOUT_FILENO)
            close(new)
        }
    }
}
