import Synchronization

/// Holds transfers back while the network is metered. ``MeteredRule`` decides; this class holds the lock, and
/// interrupts transfers that have to wait.
///
/// An interrupted transfer keeps its sent or fetched bytes, and continues from there.
package final class MeteredNetwork: Sendable {
    private struct Running {
        let transfer: MeteredRule.Transfer
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var rule = MeteredRule()
        var running: [UInt64: Running] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The choice in effect while the network is metered; nil at other times.
    package var present: MeteredRule.Choice? { state.withLock { $0.rule.isMetered ? $0.rule.choice : nil } }
    package var choice: MeteredRule.Choice { state.withLock { $0.rule.choice } }

    func admits(_ transfer: MeteredRule.Transfer) -> Bool { state.withLock { $0.rule.admits(transfer) } }

    /// Changes the known state of the network, and interrupts the transfers that have to wait from now on.
    ///
    /// - Returns: Whether waiting transfers may begin.
    func change(_ change: (inout MeteredRule) -> Void) -> Bool {
        let (isReleased, interrupted) = state.withLock { state in
            let wasWaiting = state.rule.isWaiting
            change(&state.rule)
            let numbers = state.running.filter { !state.rule.admits($0.value.transfer) }.map(\.key)
            let interrupted = numbers.compactMap { state.running.removeValue(forKey: $0) }
            return (wasWaiting && !state.rule.isWaiting, interrupted)
        }
        for transfer in interrupted { transfer.cancel() }
        return isReleased
    }

    /// Runs a transfer if it may begin.
    ///
    /// - Returns: Nil if it has to wait, also if it was interrupted.
    func perform<T: Sendable>(
        _ transfer: MeteredRule.Transfer, _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T? {
        let begun = state.withLock { state -> (number: UInt64, task: Task<T, any Error>)? in
            guard state.rule.admits(transfer) else { return nil }
            state.nextNumber += 1
            let task = Task { try await work() }
            state.running[state.nextNumber] = Running(transfer: transfer, cancel: { task.cancel() })
            return (state.nextNumber, task)
        }
        guard let (number, task) = begun else { return nil }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let isInterrupted = state.withLock { $0.running.removeValue(forKey: number) == nil }
        // A cancelled transfer may fail with any error.
        if case .failure = result, isInterrupted, !Task.isCancelled { return nil }
        return try result.get()
    }
}
