import Glibc

/// Lets many file operations run at once, or one change of the tree from outside (a remote version swapped in, an eviction): while
/// that runs, no file can become open, so "is it open?" stays answered.
///
/// First in the lock order: gate, open file, database, table of open files.
package final class TreeGate: Sendable {
    // A lock is what makes other things safe to share; its address never changes.
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    package init() {
        lock = .allocate(capacity: 1)
        // A writer that waits goes first: a busy mount must not hold up what comes from the cloud.
        var preference = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&preference)
        pthread_rwlockattr_setkind_np(&preference, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        pthread_rwlock_init(lock, &preference)
        pthread_rwlockattr_destroy(&preference)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    package func shared<T>(_ body: () throws -> T) rethrows -> T {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// `body` must be short: every open waits for it.
    package func exclusive<T>(_ body: () throws -> T) rethrows -> T {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// Takes it shared if nobody has to be waited for; then ``leave()`` follows.
    package func enterShared() -> Bool { pthread_rwlock_tryrdlock(lock) == 0 }

    /// Takes it exclusively if nobody has to be waited for; then ``leave()`` follows.
    package func enterExclusively() -> Bool { pthread_rwlock_trywrlock(lock) == 0 }

    package func leave() { pthread_rwlock_unlock(lock) }
}
