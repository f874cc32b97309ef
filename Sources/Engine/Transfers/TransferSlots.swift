import Basics

/// The process's bound on network operations. Ten thousand requests wait as queue entries; only running requests have a task.
package final class TransferSlots: Sendable {
    private enum Entry {
        case work(@Sendable () async -> Void)
        case caller(CheckedContinuation<Void, any Error>)
    }

    private struct State {
        var queue: SlotQueue
        var entries: [TransferTicket: Entry] = [:]
        var tasks: [TransferTicket: Task<Void, Never>] = [:]
    }

    private let state: RankedMutex<State>

    package init(limit: Int = 8, reservedForDemand: Int = 2) {
        state = RankedMutex(.leaf, State(queue: SlotQueue(limit: limit, reservedForDemand: reservedForDemand)))
    }

    /// Runs `work` in its own task when a slot is free.
    package func submit(
        _ priority: TransferPriority, _ work: @escaping @Sendable () async -> Void
    ) -> TransferTicket {
        let (ticket, callers) = state.withLock { state in
            let ticket = state.queue.makeTicket()
            state.entries[ticket] = .work(work)
            state.queue.enqueue(ticket, priority)
            return (ticket, grant(&state))
        }
        for caller in callers { caller.resume() }
        return ticket
    }

    /// Runs `body` in the caller's task when a slot is free.
    ///
    /// - Throws: `CancellationError` if the caller is cancelled before that.
    package func withSlot<T>(_ priority: TransferPriority, _ body: () async throws -> T) async throws -> T {
        let ticket = state.withLock { $0.queue.makeTicket() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(ticket, priority, $0) }
        } onCancel: {
            cancel(ticket)
        }
        defer { finish(ticket) }
        return try await body()
    }

    /// Raises the priority of a waiting request.
    package func promote(_ ticket: TransferTicket, to priority: TransferPriority) {
        let callers = state.withLock { state in
            state.queue.promote(ticket, to: priority)
            return grant(&state)
        }
        for caller in callers { caller.resume() }
    }

    /// Drops a waiting request (returns true: its work never runs), or cancels a running request's task.
    @discardableResult
    package func cancel(_ ticket: TransferTicket) -> Bool {
        let (dropped, entry, task) = state.withLock { state in
            let dropped = state.queue.withdraw(ticket)
            return (dropped, dropped ? state.entries.removeValue(forKey: ticket) : nil, state.tasks[ticket])
        }
        if case .caller(let continuation) = entry { continuation.resume(throwing: CancellationError()) }
        task?.cancel()
        return dropped
    }

    private func wait(
        _ ticket: TransferTicket, _ priority: TransferPriority, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        // The flag shows a cancellation before this lock; a later one finds the entry.
        let callers: [CheckedContinuation<Void, any Error>]? = state.withLock { state in
            guard !Task.isCancelled else { return nil }
            state.entries[ticket] = .caller(continuation)
            state.queue.enqueue(ticket, priority)
            return grant(&state)
        }
        guard let callers else { return continuation.resume(throwing: CancellationError()) }
        for caller in callers { caller.resume() }
    }

    private func finish(_ ticket: TransferTicket) {
        let callers = state.withLock { state in
            state.tasks[ticket] = nil
            state.queue.finish(ticket)
            return grant(&state)
        }
        for caller in callers { caller.resume() }
    }

    /// Starts the requests allowed to run.
    ///
    /// - Returns: The callers to resume outside the lock.
    private func grant(_ state: inout State) -> [CheckedContinuation<Void, any Error>] {
        var callers: [CheckedContinuation<Void, any Error>] = []
        while let ticket = state.queue.grant() {
            switch state.entries.removeValue(forKey: ticket) {
            case .work(let work): state.tasks[ticket] = start(work, ticket)
            case .caller(let continuation): callers.append(continuation)
            case nil: state.queue.finish(ticket)
            }
        }
        return callers
    }

    // Called under the lock: a cancellation cannot happen between the start and the entry in `tasks`.
    private func start(_ work: @escaping @Sendable () async -> Void, _ ticket: TransferTicket) -> Task<Void, Never> {
        Task {
            await work()
            self.finish(ticket)
        }
    }
}
