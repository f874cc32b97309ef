import ServerStorage
import Synchronization

/// The bound on bodies in memory: who would exceed it waits for its turn, and is refused when too many wait.
final class MemoryBudget: Sendable {
    private struct State {
        var ledger: MemoryLedger
        var callers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state: Mutex<State>

    init(limit: Int = 256 << 20, maximumWaiting: Int = 1_024) {
        state = Mutex(State(ledger: MemoryLedger(limit: limit, maximumWaiting: maximumWaiting)))
    }

    /// Bytes that are granted now.
    var used: Int { state.withLock { $0.ledger.used } }

    /// Runs `body` once so many bytes are free for this account.
    func withBytes<T>(_ bytes: Int, of account: AccountID, _ body: () async throws -> T) async throws -> T {
        let ticket = try await take(bytes, of: account)
        defer { release(ticket) }
        return try await body()
    }

    /// Waits until so many bytes are free for this account; they are taken until the ticket's ``release(_:)``.
    func take(_ bytes: Int, of account: AccountID) async throws -> UInt64 {
        switch state.withLock({ $0.ledger.request(bytes, for: account) }) {
        case .refused: throw Refusals.busy
        case .granted(let ticket): return ticket
        case .waiting(let ticket):
            try await turn(of: ticket)
            return ticket
        }
    }

    private func turn(of ticket: UInt64) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Answer { case go, cancelled, later }
                let answer = state.withLock { state -> Answer in
                    if Task.isCancelled { return .cancelled }
                    // Its turn may have come between the request and here.
                    guard state.ledger.isWaiting(ticket) else { return .go }
                    state.callers[ticket] = continuation
                    return .later
                }
                switch answer {
                case .go: continuation.resume()
                case .cancelled:
                    release(ticket)
                    continuation.resume(throwing: CancellationError())
                case .later: break
                }
            }
        } onCancel: {
            guard let caller = state.withLock({ $0.callers.removeValue(forKey: ticket) }) else { return }
            release(ticket)
            caller.resume(throwing: CancellationError())
        }
    }

    func release(_ ticket: UInt64) { wake { $0.release(ticket) } }

    /// The ticket keeps so many bytes; the others are free.
    func shrink(_ ticket: UInt64, to bytes: Int) { wake { $0.shrink(ticket, to: bytes) } }

    private func wake(_ event: (inout MemoryLedger) -> [UInt64]) {
        let callers = state.withLock { state in
            event(&state.ledger).compactMap { state.callers.removeValue(forKey: $0) }
        }
        for caller in callers { caller.resume() }
    }
}
