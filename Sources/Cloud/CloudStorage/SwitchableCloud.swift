package import Logging
import Synchronization

/// A cloud that a user can switch off for a device: then every operation fails with `offline` immediately, pending
/// operations are cancelled, and no connection stays open for events.
///
/// The switch is between the engine and the cloud, so to the rest of the program a switched-off device behaves as
/// without a network.
package final class SwitchableCloud: CloudDecorator {
    private struct State {
        var isOffline: Bool
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var listeners: [UInt64: AsyncStream<Bool>.Continuation] = [:]
        var nextNumber: UInt64 = 0

        mutating func number() -> UInt64 {
            nextNumber += 1
            return nextNumber
        }
    }

    package let base: any CloudBackend
    private let log: Logger
    private let state: Mutex<State>

    /// - Parameter log: Gets a line at trace for each operation.
    package init(_ cloud: any CloudBackend, isOffline: Bool = false, log: Logger) {
        base = cloud
        self.log = log
        state = Mutex(State(isOffline: isOffline))
    }

    package var isOffline: Bool { state.withLock { $0.isOffline } }

    /// Switches the cloud off or on. Returns once no new operation can start; pending operations are then being
    /// cancelled.
    package func setOffline(_ isOffline: Bool) {
        let (cancellations, listeners) = state.withLock { state in
            guard state.isOffline != isOffline else {
                return ([@Sendable () -> Void](), [AsyncStream<Bool>.Continuation]())
            }
            state.isOffline = isOffline
            return (isOffline ? Array(state.cancellations.values) : [], Array(state.listeners.values))
        }
        for cancel in cancellations { cancel() }
        for listener in listeners { listener.yield(isOffline) }
    }

    /// The error of every operation while the cloud is switched off.
    package static var refusal: CloudError {
        CloudError(.offline, "This device was taken offline. Run `ubiquity online` to sync again.")
    }

    package func perform<T: Sendable>(
        _ name: String, _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        guard log.logLevel <= .trace else { return try await switchable(operation) }
        let start = ContinuousClock.now
        var outcome = "cancelled"
        defer {
            log.trace(
                "request", metadata: ["of": "\(name)", "took": "\(start.duration(to: .now))", "outcome": "\(outcome)"])
        }
        do {
            let value = try await switchable(operation)
            outcome = "done"
            return value
        } catch {
            outcome = "\(error)"
            throw error
        }
    }

    private func switchable<T: Sendable>(_ operation: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = try state.withLock { state -> (number: UInt64, task: Task<T, any Error>) in
            guard !state.isOffline else { throw Self.refusal }
            let task = Task { try await operation() }
            let number = state.number()
            state.cancellations[number] = { task.cancel() }
            return (number, task)
        }
        defer { state.withLock { _ = $0.cancellations.removeValue(forKey: task.number) } }
        do {
            return try await withTaskCancellationHandler {
                try await task.task.value
            } onCancel: {
                task.task.cancel()
            }
        } catch {
            // Cancellation by the switch is not cancellation by the caller.
            guard !Task.isCancelled, isOffline else { throw error }
            throw Self.refusal
        }
    }

    /// Returns whether the cloud is switched off, now and after each change.
    private func switches() -> AsyncStream<Bool> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            let number = state.withLock { state in
                let number = state.number()
                state.listeners[number] = listener
                listener.yield(state.isOffline)
                return number
            }
            listener.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            }
        }
    }

    package func events() -> AsyncStream<CloudEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: CloudEvent.self, bufferingPolicy: .bufferingNewest(64))
        let follower = Task { [switches = switches(), base] in
            var inner: Task<Void, Never>?
            for await isOffline in switches {
                inner?.cancel()
                guard !isOffline, let cloud = base.facet((any ChangeNotifying).self) else { continue }
                continuation.yield(.reachabilityChanged)
                inner = Task { for await event in cloud.events() { continuation.yield(event) } }
            }
            inner?.cancel()
            continuation.finish()
        }
        continuation.onTermination = { _ in follower.cancel() }
        return events
    }

    package var isResetAsked: Bool { !isOffline && base.facet((any RemoteResettable).self)?.isResetAsked ?? false }

    package func finishDeferredWork(within limit: Duration) async {
        guard !isOffline else { return }
        await base.facet((any WorkDeferring).self)?.finishDeferredWork(within: limit)
    }
}
