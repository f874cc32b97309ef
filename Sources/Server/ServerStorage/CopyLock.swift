import Basics
import Glibc

/// Keeps chunks in place while a backup copies them: a backup holds it shared for as long as it takes, a collection takes it for each of
/// its steps alone, and ends when it can not have it. Over processes, and gone with them (flock(2)).
struct CopyLock {
    private let descriptor: Int32

    /// Waits for the step of a collection at most.
    static func copying(_ directory: DataDirectory) throws -> CopyLock {
        let descriptor = try open(directory)
        try check("flock") { flock(descriptor, LOCK_SH) }
        return CopyLock(descriptor: descriptor)
    }

    /// Nil while a backup copies chunks.
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

    func release() { close(descriptor) }
}
