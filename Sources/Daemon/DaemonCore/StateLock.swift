import Basics
package import DaemonProtocol
import Glibc

/// The exclusive right to use a state directory: flock(2) on its file `lock`, which the kernel releases when the
/// process ends, however it dies.
package struct StateLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Acquires the lock without waiting, and creates the directory if needed.
    ///
    /// - Throws: `stateInUse` if another daemon has the lock; `permissionDenied` if the directory cannot be written, or
    ///   other users can write it.
    package static func acquire(stateDirectory: String) throws(DaemonFailure) -> StateLock {
        do {
            try createDirectories(stateDirectory)
        } catch {
            throw DaemonFailure(
                .permissionDenied, "the state directory cannot be created (\(error))", path: stateDirectory,
                advice: "Choose another with --state.", errno: error.code)
        }
        try requireOwn(stateDirectory)
        let descriptor = open("\(stateDirectory)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DaemonFailure(
                .permissionDenied, "the state directory cannot be written (\(String(cString: strerror(errno))))",
                path: stateDirectory, advice: "Choose another with --state.", errno: errno)
        }
        let lock = StateLock(descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw inUse(stateDirectory, descriptor) }
        lock.writeProcessID()
        return lock
    }

    /// Closes the directory to group and others, and refuses it if another user could have put links and settings into
    /// it.
    private static func requireOwn(_ directory: String) throws(DaemonFailure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A failure to open it is reported with the lock.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return }
        guard information.st_uid == geteuid(), information.st_mode & 0o022 == 0 else {
            throw DaemonFailure(
                .permissionDenied, "another user owns the state directory, or can write to it", path: directory,
                advice: "Choose another with --state, or make it yours alone (chmod 700).")
        }
        if information.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o700) }
    }

    private static func inUse(_ directory: String, _ descriptor: Int32) -> DaemonFailure {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        let holder = Int32(text.prefix { $0.isNumber }).map { "daemon \($0)" } ?? "another daemon"
        return DaemonFailure(
            .stateInUse, "\(holder) uses this state directory", path: directory,
            advice: "Unmount that one first, or choose another directory with --state.")
    }

    /// Writes the process id for the message above; the lock itself is authoritative.
    private func writeProcessID() {
        let text = "\(getpid())\n"
        _ = ftruncate(descriptor, 0)
        _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    deinit { close(descriptor) }
}
