package import CloudModel
package import CloudStorage
import Synchronization

extension InMemoryBackend {
    package enum Operation: Hashable, Sendable {
        case connect, containers, createContainer, append, entries, missing, putChunk, getChunk, space
    }

    /// A call to the backend, as seen by gates and counters.
    package struct Call: Hashable, Sendable {
        package let operation: Operation
        package let chunk: ChunkID?
    }

    /// Holds, fails and counts calls. A held call waits until the test releases it or its task is cancelled.
    package final class Gate: Sendable {
        package typealias Rule = @Sendable (Call) -> Bool

        private struct Held {
            let id: UInt64
            let call: Call
            let continuation: CheckedContinuation<Void, any Error>
        }

        private struct State {
            var rules: [Rule] = []
            var held: [Held] = []
            var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
            var failures: [(rule: Rule, error: CloudError, times: Int)] = []
            var counts: [Call: Int] = [:]
            var nextID: UInt64 = 0
        }

        private let state = Mutex(State())

        /// Holds all calls matching `rule` from now on.
        package func hold(where rule: @escaping Rule) { state.withLock { $0.rules.append(rule) } }

        package func hold(_ operation: Operation) { hold { $0.operation == operation } }

        /// Releases all held calls and stops holding calls.
        package func open() {
            let released = state.withLock { state in
                defer { state.held = [] }
                state.rules = []
                return state.held
            }
            for call in released { call.continuation.resume() }
        }

        /// Releases the call waiting longest, and keeps holding the rest. Returns false when none waits.
        @discardableResult
        package func releaseOne() -> Bool {
            let first = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
            first?.continuation.resume()
            return first != nil
        }

        /// Returns once at least `count` calls wait at the gate.
        package func untilHeld(_ count: Int) async {
            await withCheckedContinuation { continuation in
                let reached = state.withLock { state in
                    if state.held.count >= count { return true }
                    state.watchers.append((count, continuation))
                    return false
                }
                if reached { continuation.resume() }
            }
        }

        package var heldCalls: [Call] { state.withLock { $0.held.map(\.call) } }

        /// Lets the next `times` of the matching calls throw `error`.
        package func fail(
            where rule: @escaping Rule, with error: CloudError, times: Int = .max
        ) {
            state.withLock { $0.failures.append((rule, error, times)) }
        }

        package func fail(_ operation: Operation, with error: CloudError, times: Int = .max) {
            fail(where: { $0.operation == operation }, with: error, times: times)
        }

        package func count(_ operation: Operation) -> Int {
            state.withLock { $0.counts.reduce(0) { $1.key.operation == operation ? $0 + $1.value : $0 } }
        }

        package func count(_ operation: Operation, of chunk: ChunkID) -> Int {
            state.withLock { $0.counts[Call(operation: operation, chunk: chunk)] ?? 0 }
        }

        /// Counts the call, waits while it is held, and throws if it is to fail or its task is cancelled.
        func pass(_ operation: Operation, _ chunk: ChunkID? = nil) async throws {
            let call = Call(operation: operation, chunk: chunk)
            let id = state.withLock { state in
                state.counts[call, default: 0] += 1
                state.nextID += 1
                return state.nextID
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { enter(Held(id: id, call: call, continuation: $0)) }
            } onCancel: {
                cancel(id)
            }
            if let error = state.withLock({ failure(of: call, in: &$0) }) { throw error }
        }

        private func enter(_ held: Held) {
            enum Outcome { case pass, cancelled, held([CheckedContinuation<Void, Never>]) }
            let outcome: Outcome = state.withLock { state in
                if Task.isCancelled { return .cancelled }
                guard state.rules.contains(where: { $0(held.call) }) else { return .pass }
                state.held.append(held)
                let reached = state.watchers.filter { $0.count <= state.held.count }.map(\.continuation)
                state.watchers.removeAll { $0.count <= state.held.count }
                return .held(reached)
            }
            switch outcome {
            case .pass: held.continuation.resume()
            case .cancelled: held.continuation.resume(throwing: CancellationError())
            case .held(let watchers): for watcher in watchers { watcher.resume() }
            }
        }

        private func cancel(_ id: UInt64) {
            let held = state.withLock { state in
                state.held.firstIndex { $0.id == id }.map { state.held.remove(at: $0) }
            }
            held?.continuation.resume(throwing: CancellationError())
        }

        private func failure(of call: Call, in state: inout State) -> CloudError? {
            guard let index = state.failures.firstIndex(where: { $0.times > 0 && $0.rule(call) }) else { return nil }
            state.failures[index].times -= 1
            return state.failures[index].error
        }
    }
}
