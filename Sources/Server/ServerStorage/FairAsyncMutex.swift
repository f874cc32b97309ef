import Synchronization

/// A mutex for tasks, with accounts taking turns. The number of waiting tasks is bounded, and a cancelled task stops
/// waiting.
final class FairAsyncMutex: Sendable {
    private struct State {
        var queue: FairQueue<AccountID>
        var callers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state: Mutex<State>

    init(maximumWaiting: Int, maximumPerAccount: Int) {
        state = Mutex(
            State(queue: FairQueue(maximumWaiting: maximumWaiting, maximumPerKey: maximumPerAccount)))
    }

    /// - Throws: `busy` if too many wait, `CancellationError` for a task cancelled meanwhile.
    func run<T>(for account: AccountID, _ body: () async throws -> T) async throws -> T {
        switch state.withLock({ $0.queue.enter(account) }) {
        case .refused: throw StorageError(.busy, "The server has too many requests of this kind; try again soon.")
        case .granted(let ticket):
            defer { leave(ticket) }
            return try await body()
        case .waiting(let ticket):
            defer { leave(ticket) }
            try await turn(of: ticket)
            return try await body()
        }
    }

    private func turn(of ticket: UInt64) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.queue.isRunning(ticket) { return .success(()) }
                    state.callers[ticket] = caller
                    return nil
                }
                if let outcome { caller.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.callers.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
        }
    }

    private func leave(_ ticket: UInt64) {
        let next = state.withLock { state in
            state.queue.leave(ticket).flatMap { state.callers.removeValue(forKey: $0) }
        }
        next?.resume()
    }
}
