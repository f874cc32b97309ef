import Basics
import Glibc

/// Keeps chunks in place while a backup copies them. A backup holds the lock shared for its whole duration; a
/// collection acquires it exclusively for each of its steps, and ends if it cannot. The lock works between processes
/// and is released when its process ends (flock(2)).
struct CopyLock {
    private let descriptor: Int32

    /// Acquires the lock for a backup. Waits for one step of a collection at most.
    static func copying(_ directory: DataDirectory) throws -> CopyLock {
        let descriptor = try open(directory)
        try check("flock") { flock(descriptor, LOCK_SH) }
        return CopyLock(descriptor: descriptor)
    }

    /// Acquires the lock for a step of a collection, or returns nil while a backup copies chunks.
    static func collecting(_ directory: DataDirectory) throws -> CopyLock? {
        let descriptor = try open(directory)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return CopyLock(descriptor: descriptor)
    }

    private static func open(_ directory: DataDirectory) throws -> Int32 {
        try check("open") { Glibc.open(directory.copying, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }

    func release() { unlock(descriptor) }
}
