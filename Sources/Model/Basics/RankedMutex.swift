import Synchronization

/// A mutex with a place in the order of locks, checked in debug builds.
package struct RankedMutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let rank: LockRank

    package init(_ rank: LockRank, _ value: consuming sending Value) {
        mutex = Mutex(value)
        self.rank = rank
    }

    /// Runs `body` with exclusive access to the value.
    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        rank.enter()
        defer { rank.leave() }
        return try mutex.withLock(body)
    }

    /// Runs `body` if the lock is free. Never waits, so the order is not checked.
    @inline(__always)
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable(body)
    }
}
