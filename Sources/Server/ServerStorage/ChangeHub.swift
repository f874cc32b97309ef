import CloudModel
package import CloudProtocol
import Synchronization

/// The end of each log, and the requests waiting for changes. It keeps only accounts with such requests. Nothing queues
/// up: a slow request is sent the newest state.
package final class ChangeHub: Sendable {
    private struct Account {
        var sequences: [String: UInt64] = [:]
        var isLoaded = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

        /// Sequences and containers only ever grow, so any two states have different sums, also after a restart.
        var revision: UInt64 { sequences.values.reduce(0) { $0 &+ $1 &+ 1 } }
    }

    private struct State {
        var accounts: [AccountID: Account] = [:]
        var tickets: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let load: @Sendable (AccountID) async throws -> [String: UInt64]
    private let send: @Sendable (LogEnd) -> Void

    /// - Parameters:
    ///   - load: Returns the state in the database.
    ///   - send: Notifies the cluster's other processes. Must not block.
    init(
        load: @escaping @Sendable (AccountID) async throws -> [String: UInt64],
        send: @escaping @Sendable (LogEnd) -> Void = { _ in }
    ) {
        self.load = load
        self.send = send
    }

    /// Returns the current state.
    package func latest(of account: AccountID) async throws -> ChangeFeedEvent {
        if let known = current(account) { return known }
        // Changes are recorded from here on, so that none is missed between reading and merging.
        state.withLock { _ = $0.accounts[account, default: Account()].isLoaded }
        let stored = try await load(account).filter { ContainerName($0.key) != nil }
        state.withLock { state in
            state.accounts[account, default: Account()].sequences.merge(stored, uniquingKeysWith: max)
            state.accounts[account]?.isLoaded = true
        }
        return current(account) ?? ChangeFeedEvent(revision: 0, containers: [:])
    }

    /// Reads remote changes from the database: those of the owner's commands, and of a cluster's other processes.
    package func refresh(_ account: AccountID) async throws {
        let known = state.withLock { $0.accounts[account]?.sequences.keys }.map(Set.init) ?? []
        let stored = try await load(account)
        // A container is known after its commit. If it was known before reading but is missing from the result, it was
        // removed.
        let removed = known.subtracting(stored.keys)
        state.withLock { state in
            for name in removed { state.accounts[account]?.sequences.removeValue(forKey: name) }
        }
        for (name, sequence) in stored {
            guard let container = ContainerName(name) else { continue }
            received(LogEnd(account: account, container: container, sequence: sequence))
        }
    }

    /// Reads all accounts with requests on this process from the database.
    func refreshAll() async throws {
        for account in state.withLock({ Array($0.accounts.keys) }) { try await refresh(account) }
    }

    private func current(_ account: AccountID) -> ChangeFeedEvent? {
        state.withLock { state in
            guard let known = state.accounts[account], known.isLoaded else { return nil }
            return ChangeFeedEvent(revision: known.revision, containers: known.sequences)
        }
    }

    /// Notifies waiting requests, local and at remote processes. Called after the commit.
    func changed(_ container: ContainerName, to sequence: UInt64, of account: AccountID) {
        let end = LogEnd(account: account, container: container, sequence: sequence)
        received(end)
        send(end)
    }

    /// Notifies waiting requests of a remote change. Known changes have no effect.
    func received(_ end: LogEnd) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard var known = state.accounts[end.account] else { return [] }
            guard known.sequences[end.container.text].map({ $0 < end.sequence }) ?? true else { return [] }
            known.sequences[end.container.text] = end.sequence
            let waiting = Array(known.waiters.values)
            known.waiters = [:]
            state.accounts[end.account] = known
            return waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until the state differs from `revision`, the caller is cancelled, or the server stops.
    package func wait(for account: AccountID, after revision: UInt64) async {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isClosed, !Task.isCancelled, let known = state.accounts[account],
                        known.revision == revision
                    else { return true }
                    state.accounts[account]?.waiters[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.accounts[account]?.waiters.removeValue(forKey: ticket) }?.resume()
        }
    }

    /// Whether the server stops. Change feeds end then, because they would delay it.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            let waiting = state.accounts.values.flatMap(\.waiters.values)
            for account in state.accounts.keys { state.accounts[account]?.waiters = [:] }
            return waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}
