import Basics
import Glibc

/// Runs many file operations concurrently, or a single change of the tree from outside (a remote version swapped in, an
/// eviction): during such a change no file can become open, so the result of "is it open?" stays true.
///
/// A lock taken only where it is free waits for no thread, so its rank is not checked.
final class TreeGate: Sendable {
    // A lock itself, so shared without a lock; its address never changes.
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    private let rank: LockRank

    init(_ rank: LockRank) {
        self.rank = rank
        lock = .allocate(capacity: 1)
        // Waiting writers have priority: a busy mount must not hold up changes from the cloud.
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
        rank.enter()
        pthread_rwlock_rdlock(lock)
        defer { leave(rank) }
        return try body()
    }

    /// Runs `body` exclusively. `body` must be short, because every open waits for it.
    func exclusive<T>(_ body: () throws -> T) rethrows -> T {
        rank.enter()
        pthread_rwlock_wrlock(lock)
        defer { leave(rank) }
        return try body()
    }

    /// Acquires the lock shared if possible without waiting; the caller then has to call ``leave()``.
    func enterShared() -> Bool { pthread_rwlock_tryrdlock(lock) == 0 }

    /// Acquires the lock exclusively if possible without waiting; the caller then has to call ``leave()``.
    func enterExclusively() -> Bool { pthread_rwlock_trywrlock(lock) == 0 }

    func leave() { pthread_rwlock_unlock(lock) }

    private func leave(_ rank: LockRank) {
        pthread_rwlock_unlock(lock)
        rank.leave()
    }
}
