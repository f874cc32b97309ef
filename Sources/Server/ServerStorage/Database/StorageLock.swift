import Basics
import Glibc
import NIOPosix

/// A lock between the processes of a server for work longer than a transaction. It is released when its process ends.
enum StorageLock: String, Sendable {
    /// Shared by a backup while it copies chunks, exclusive to each step of a collection.
    case chunks = "copying"
    /// Exclusive to the process collecting chunks. Two would do no harm, but duplicate the work.
    case collection = "collecting"

    enum Mode: Sendable {
        /// Waits for the exclusive holder, which holds it briefly.
        case shared
        /// Does not wait.
        case exclusive
    }
}

/// An acquired lock. It is released once, and releasing may block.
struct HeldLock: Sendable {
    let release: @Sendable () -> Void
}

extension StorageDatabase {
    /// Runs `body` with the lock.
    ///
    /// - Returns: Nil if another process has the lock.
    func withLock<T>(
        _ lock: StorageLock, _ mode: StorageLock.Mode, _ body: () async throws -> T
    ) async throws -> T? {
        guard let held = try await acquire(lock, mode) else { return nil }
        let result: Result<T, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // The lock ends with the process in any case.
        try? await NIOThreadPool.singleton.runIfActive { held.release() }
        return try result.get()
    }
}

/// Releases a lock of a file (flock(2)) before its descriptor is closed: a process being started has a copy of the
/// descriptor until its execve(2), and with it the lock.
func unlock(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
}

extension HeldLock {
    /// Locks a file (flock(2)).
    static func file(_ path: String, _ mode: StorageLock.Mode) throws -> HeldLock? {
        let descriptor = try check("open") { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        switch mode {
        case .shared:
            do { try check("flock") { flock(descriptor, LOCK_SH) } } catch {
                close(descriptor)
                throw error
            }
        case .exclusive:
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                return nil
            }
        }
        return HeldLock { unlock(descriptor) }
    }
}
