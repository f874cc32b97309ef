import Basics

/// Keeps the transfers of a direction below a rate. ``ThrottleQueue`` decides; this class holds the lock and the timer,
/// and resumes the waiters.
package final class TransferThrottle: Sendable {
    /// A passing or waiting transfer; a later reader can hurry it.
    struct Ticket: Hashable, Sendable { let number: UInt64 }

    private struct State {
        var queue = ThrottleQueue()
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var timer: Task<Void, Never>?
        var nextNumber: UInt64 = 0
    }

    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let state = RankedMutex(.leaf, State())

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = TransferTimers.stopwatch(clock)
    }

    /// Bytes a second; nil: everything passes.
    package var rate: UInt64? { state.withLock { $0.queue.rate } }

    package func setRate(_ rate: UInt64?) {
        let now = elapsed()
        act { $0.queue.setRate(rate, at: now) }
    }

    func makeTicket() -> Ticket {
        state.withLock { state in
            state.nextNumber += 1
            return Ticket(number: state.nextNumber)
        }
    }

    /// Returns once a transfer of about this number of bytes may begin.
    ///
    /// - Throws: `CancellationError` if the caller is cancelled before that.
    func pass(_ ticket: Ticket, bytes: Int, _ priority: TransferPriority) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(ticket, bytes, priority, $0) }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Corrects the estimated cost of a transfer that has passed.
    func correct(_ estimated: Int, to actual: Int) {
        let now = elapsed()
        act { $0.queue.correct(estimated, to: actual, at: now) }
    }

    /// Notes that a reader now waits for the bytes of a transfer.
    func promote(_ ticket: Ticket) { act { $0.queue.promote(ticket.number) } }

    /// How long these bytes take at the current rate; zero without a limit.
    func time(for bytes: Int) -> Duration { state.withLock { $0.queue.time(for: bytes) } }

    private func wait(
        _ ticket: Ticket, _ bytes: Int, _ priority: TransferPriority,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let now = elapsed()
        // The flag shows a cancellation before this lock; a later one finds the entry.
        let isCancelled = act { state -> Bool in
            guard !Task.isCancelled else { return true }
            state.waiters[ticket.number] = continuation
            state.queue.ask(ticket.number, bytes: bytes, priority, at: now)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    private func cancel(_ ticket: Ticket) {
        let waiter = act { state in
            state.queue.withdraw(ticket.number) ? state.waiters.removeValue(forKey: ticket.number) : nil
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// Changes the state, and resumes the transfers that may now begin.
    @discardableResult
    private func act<T>(_ change: (inout State) -> T) -> T {
        let now = elapsed()
        let (result, granted) = state.withLock { state in
            let result = change(&state)
            var granted: [CheckedContinuation<Void, any Error>] = []
            while let number = state.queue.grant(at: now) {
                if let waiter = state.waiters.removeValue(forKey: number) { granted.append(waiter) }
            }
            setTimer(&state, now)
            return (result, granted)
        }
        for waiter in granted { waiter.resume() }
        return result
    }

    private func setTimer(_ state: inout State, _ now: Duration) {
        state.timer?.cancel()
        state.timer = nil
        guard let wait = state.queue.wait(at: now) else { return }
        state.timer = Task { [weak self, clock] in
            // A cancelled timer was replaced.
            guard (try? await clock.sleep(for: wait)) != nil else { return }
            self?.act { _ in }
        }
    }
}
