import Dispatch
import Synchronization

/// A process's idle connections to a database. Each user has a dedicated thread, so their number is that of the
/// threads.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        /// When the last attempt to connect failed; nil after a successful attempt.
        var failed: ContinuousClock.Instant?
        var isClosed = false
    }

    let address: PostgresAddress
    let bounds: PostgresBounds
    private let use: PostgresUse
    private let state = Mutex(State())
    /// Signalled when the pool closes, to end pauses.
    private let closing = DispatchSemaphore(value: 0)

    private static let backOff = (first: Duration.milliseconds(50), last: Duration.milliseconds(800))

    /// - Parameter use: With `shared`, each connection takes that lock. `exclusive` is a lock of a single connection,
    ///   created by its user.
    init(_ address: PostgresAddress, _ bounds: PostgresBounds, _ use: PostgresUse) {
        self.address = address
        self.bounds = bounds
        self.use = use
    }

    /// Runs `body` with a connection, and again while the database cannot be reached or asks for that, with pauses,
    /// until `deadline`. Blocks.
    func repeating<T>(until deadline: ContinuousClock.Instant, _ body: (PostgresConnection) throws -> T) throws -> T {
        try retrying(until: deadline) { try using(after: deadline, body) }
    }

    /// Returns a connection for the caller to give back, after `body` has run with it like that of
    /// ``repeating(until:_:)``; nil if that returned false. Blocks.
    func borrow(
        until deadline: ContinuousClock.Instant, _ body: (PostgresConnection) throws -> Bool
    ) throws -> PostgresConnection? {
        try retrying(until: deadline) {
            let connection = try take(after: deadline)
            do {
                if try body(connection) { return connection }
            } catch {
                give(back: connection)
                throw error
            }
            give(back: connection)
            return nil
        }
    }

    private func retrying<T>(until deadline: ContinuousClock.Instant, _ attempt: () throws -> T) throws -> T {
        var pause = Self.backOff.first
        while true {
            do { return try attempt() } catch let error as PostgresError where error.isWorthRepeating {
                let jittered = pause * Double.random(in: 0.5...1)
                guard ContinuousClock.now + jittered < deadline else { throw error }
                guard closing.wait(timeout: .now() + jittered / .seconds(1)) == .timedOut else {
                    closing.signal()
                    throw error
                }
                pause = min(pause * 2, Self.backOff.last)
            }
        }
    }

    private func using<T>(after deadline: ContinuousClock.Instant, _ body: (PostgresConnection) throws -> T) throws -> T
    {
        let connection = try take(after: deadline)
        defer { give(back: connection) }
        return try body(connection)
    }

    /// Returns an idle or a new connection for the caller to give back. Blocks.
    ///
    /// - Throws: ``PostgresError``; ``StorageError`` if this use of the database is excluded.
    ///
    /// - Parameter deadline: After this, it does not connect if that failed just now: work that has waited for long is
    ///   refused immediately.
    func take(after deadline: ContinuousClock.Instant = .now + .seconds(3_600)) throws -> PostgresConnection {
        let (idle, isHopeless) = state.withLock { state in
            let now = ContinuousClock.now
            return (state.idle.popLast(), now > deadline && state.failed.map { now - $0 < .seconds(1) } ?? false)
        }
        if let idle { return idle }
        guard !isHopeless else {
            throw PostgresError(kind: .lost, message: "The database \(address) cannot be reached.")
        }
        do {
            let connection = try PostgresConnection(address, bounds: bounds)
            if use == .shared { try use.enter(address, connection) }
            state.withLock { $0.failed = nil }
            return connection
        } catch let error as PostgresError {
            state.withLock { $0.failed = .now }
            throw error
        }
    }

    /// Keeps a connection for the next user. If it broke, the idle connections are dropped too: as a rule they broke
    /// with it.
    func give(back connection: PostgresConnection) {
        guard connection.isUsable else { return dropIdle() }
        state.withLock { if !$0.isClosed { $0.idle.append(connection) } }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        closing.signal()
        dropIdle()
    }

    private func dropIdle() {
        // They are closed after releasing the lock.
        var dropped: [PostgresConnection] = []
        state.withLock { swap(&dropped, &$0.idle) }
    }
}
