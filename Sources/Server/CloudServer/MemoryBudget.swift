import ServerStorage
import Synchronization

/// The memory bound for bodies and responses: a request exceeding it waits for its turn, and is refused when too many
/// wait. Small requests have a separate lane and never wait for large ones.
final class MemoryBudget: Sendable {
    /// The largest request in the small-request lane, in bytes.
    static let small = 64 << 10
    private static let smallLimit = 32 << 20
    /// Set in the small-request lane's tickets, to distinguish them from all others.
    private static let smallBit: UInt64 = 1 << 63

    private final class Lane: Sendable {
        struct State {
            var limiter: MemoryLimiter
            var callers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        }

        private let state: Mutex<State>

        init(_ limiter: MemoryLimiter) { state = Mutex(State(limiter: limiter)) }

        func withLock<T: Sendable>(_ body: (inout sending State) -> sending T) -> sending T { state.withLock(body) }
    }

    private let large: Lane
    private let lane: Lane

    init(limit: Int = 256 << 20, maximumWaiting: Int = 1_024) {
        large = Lane(MemoryLimiter(limit: limit, largest: 16 << 20, maximumWaiting: maximumWaiting))
        lane = Lane(MemoryLimiter(limit: Self.smallLimit, largest: Self.small, maximumWaiting: maximumWaiting))
    }

    /// Bytes currently granted.
    var used: Int { large.withLock { $0.limiter.used } + lane.withLock { $0.limiter.used } }

    /// Waits until `bytes` are free for this account, and reserves them until ``release(_:)`` is called with the
    /// returned ticket.
    /// - Parameters:
    ///   - bytes: The first bytes, or all of them.
    ///   - most: The maximum size after growing with ``grow(_:by:)``; without it, everything is reserved immediately.
    func take(_ bytes: Int, of account: AccountID, growingTo most: Int? = nil) async throws -> UInt64 {
        let isSmall = max(bytes, most ?? 0) <= Self.small
        let verdict = (isSmall ? lane : large).withLock {
            $0.limiter.request(bytes, for: account, isGrowing: most != nil)
        }
        switch verdict {
        case .refused: throw Refusals.busy
        case .granted(let ticket): return ticket | (isSmall ? Self.smallBit : 0)
        case .waiting(let number):
            let ticket = number | (isSmall ? Self.smallBit : 0)
            do { try await turn(of: ticket) } catch {
                release(ticket)
                throw error
            }
            return ticket
        }
    }

    /// Waits for `bytes` more. The caller has to release the ticket even if this throws.
    func grow(_ ticket: UInt64, by bytes: Int) async throws {
        guard state(of: ticket).withLock({ !$0.limiter.grow(ticket & ~Self.smallBit, by: bytes) }) else { return }
        try await turn(of: ticket)
    }

    private func turn(of ticket: UInt64) async throws {
        let number = ticket & ~Self.smallBit
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Void, any Error>) in
                let outcome = state(of: ticket).withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    // The turn may have come between the request and this point.
                    guard state.limiter.isWaiting(number) else { return .success(()) }
                    state.callers[number] = caller
                    return nil
                }
                if let outcome { caller.resume(with: outcome) }
            }
        } onCancel: {
            let caller = state(of: ticket).withLock { $0.callers.removeValue(forKey: number) }
            caller?.resume(throwing: CancellationError())
        }
    }

    func release(_ ticket: UInt64) { wake(ticket) { $0.release($1) } }

    /// Reduces a reservation to `bytes` and frees the rest.
    func shrink(_ ticket: UInt64, to bytes: Int) { wake(ticket) { $0.shrink($1, to: bytes) } }

    /// Declares that a reservation will no longer grow.
    func endGrowth(_ ticket: UInt64) { wake(ticket) { $0.endGrowth($1) } }

    private func wake(_ ticket: UInt64, _ event: (inout MemoryLimiter, UInt64) -> [UInt64]) {
        let callers = state(of: ticket).withLock { state in
            event(&state.limiter, ticket & ~Self.smallBit).compactMap { state.callers.removeValue(forKey: $0) }
        }
        for caller in callers { caller.resume() }
    }

    private func state(of ticket: UInt64) -> Lane { ticket & Self.smallBit == 0 ? large : lane }
}
