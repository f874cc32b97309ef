import Basics
package import DaemonProtocol
import Glibc

/// The exclusive right to use a state directory: flock(2) on its file `lock`, which the kernel releases when the process ends, however it
/// dies.
package struct StateLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Acquires the lock without waiting, and creates the directory if needed.
    ///
    /// - Throws: `stateInUse` if another daemon has the lock; `permissionDenied` if the directory cannot be written.
    package static func acquire(stateDirectory: String) throws(DaemonFailure) -> StateLock {
        do {
            try createDirectories(stateDirectory)
        } catch {
            throw DaemonFailure(
                .permissionDenied, "the state directory cannot be created (\(error))", path: stateDirectory,
                advice: "Choose another with --state.", errno: error.code)
        }
        let descriptor = open("\(stateDirectory)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
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
