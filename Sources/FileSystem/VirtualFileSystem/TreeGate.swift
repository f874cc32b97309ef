import Glibc

/// Lets many file operations run at once, or one change of the tree from outside (a remote version swapped in, an eviction): while
/// that runs, no file can become open, so the result of "is it open?" stays true.
///
/// First in the lock order; docs/CONCURRENCY.md has all of it.
final class TreeGate: Sendable {
    // A lock is what makes other things safe to share; its address never changes.
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    init() {
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

    func shared<T>(_ body: () throws -> T) rethrows -> T {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// `body` must be short: every open waits for it.
    func exclusive<T>(_ body: () throws -> T) rethrows -> T {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// Takes it shared if that is possible without waiting; then ``leave()`` has to follow.
    func enterShared() -> Bool { pthread_rwlock_tryrdlock(lock) == 0 }

    /// Takes it exclusively if that is possible without waiting; then ``leave()`` has to follow.
    func enterExclusively() -> Bool { pthread_rwlock_trywrlock(lock) == 0 }

    func leave() { pthread_rwlock_unlock(lock) }
}
