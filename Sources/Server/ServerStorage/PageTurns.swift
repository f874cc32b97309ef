import NIOPosix
import Synchronization

/// Creates the pages of the console: a single page of an account at a time, on a dedicated thread. A page has at most
/// some hundred rows, so a page waits for at most that much of each account before it; requests of devices wait for
/// none.
package final class PageTurns: Sendable {
    private struct State {
        var turns: [AccountID: (mutex: FairAsyncMutex, users: Int)] = [:]
    }

    /// The most waiting pages of an account; more are refused.
    private static let maximumWaiting = 32
    /// The most memory of a page, including its rows.
    package static let memory = 4 << 20

    private let state = Mutex(State())
    private let thread = PageThread()

    func close() async throws { try await thread.close() }

    /// Runs `body` when it is the account's turn, on the thread for pages.
    ///
    /// - Throws: `busy` if too many pages of the account wait.
    package func run<T: Sendable>(
        for account: AccountID, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        let mutex = enter(account)
        defer { leave(account) }
        return try await mutex.run(for: account) {
            try await withTaskExecutorPreference(thread) { try await body() }
        }
    }

    private func enter(_ account: AccountID) -> FairAsyncMutex {
        state.withLock { state in
            var turn =
                state.turns[account]
                ?? (FairAsyncMutex(maximumWaiting: Self.maximumWaiting, maximumPerAccount: Self.maximumWaiting), 0)
            turn.users += 1
            state.turns[account] = turn
            return turn.mutex
        }
    }

    private func leave(_ account: AccountID) {
        state.withLock { state in
            guard let turn = state.turns[account] else { return }
            state.turns[account] = turn.users > 1 ? (turn.mutex, turn.users - 1) : nil
        }
    }
}

/// Runs parts of tasks on a single thread of low priority, so that processor-bound work holds up no request (SE-0417).
private final class PageThread: TaskExecutor {
    private let pool = NIOThreadPool(numberOfThreads: 1)

    init() { pool.start() }

    func close() async throws { try await pool.shutdownGracefully() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A shut-down pool still runs its work: a task must not stay suspended.
        pool.submit { _ in withLowPriority { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
