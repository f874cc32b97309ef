package import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import Logging
import Synchronization

/// Containers whose logs cannot be followed now although the cloud itself works. The other containers continue to sync.
package final class ContainerErrors: Sendable {
    package struct Failure: Hashable, Sendable {
        package let container: ContainerName
        /// What happened and what to do, whole sentences.
        package let message: String
        /// Whether an update of this program resolves it.
        package let needsUpdate: Bool
    }

    private struct State {
        var failures: [ContainerName: Failure] = [:]
        var attempts: UInt64 = 0
    }

    private let state = Mutex(State())

    package var all: [Failure] { state.withLock { $0.failures.values.sorted { $0.container < $1.container } } }

    /// The number of rounds that processed every container, with or without errors.
    package var attempts: UInt64 { state.withLock { $0.attempts } }

    /// Records the error of a container. Returns whether it differs from the one recorded before.
    func note(_ failure: Failure) -> Bool {
        state.withLock { $0.failures.updateValue(failure, forKey: failure.container) } != failure
    }

    func clear(_ container: ContainerName) { state.withLock { $0.failures[container] = nil } }

    func endRound() { state.withLock { $0.attempts += 1 } }
}

extension ContainerErrors.Failure {
    /// Creates the error of a container; nil for errors that concern more than one container.
    init?(_ error: any Error, in container: ContainerName) {
        switch error {
        case let error as LogError:
            self.init(container: container, message: "\(error)", needsUpdate: error.needsUpdate)
        case let error as CloudError where [.damaged, .tooNew, .notFound].contains(error.code):
            self.init(container: container, message: error.message, needsUpdate: error.code == .tooNew)
        case let error as MetadataError where error.code == .damaged:
            self.init(container: container, message: error.message, needsUpdate: false)
        default: return nil
        }
    }
}

extension SyncEngine {
    /// Runs a container's part of a round. Records an error that concerns this container alone and then returns false.
    func confined(_ container: LocalContainer, _ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            containerErrors.clear(container.name)
            return true
        } catch {
            guard let failure = ContainerErrors.Failure(error, in: container.name) else { throw error }
            if containerErrors.note(failure) {
                context.log.error(
                    "a container cannot be followed",
                    metadata: ["container": "\(container.name)", "why": "\(failure.message)"])
            }
            return false
        }
    }
}
