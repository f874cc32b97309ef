package import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import Logging
import Synchronization

/// Containers whose logs cannot be followed now although the cloud itself works. The other containers continue to sync.
package final class ContainerErrors: Sendable {
    package struct Trouble: Hashable, Sendable {
        package let container: ContainerName
        /// What happened and what to do, whole sentences.
        package let message: String
        /// Whether an update of this program resolves it.
        package let needsUpdate: Bool
    }

    private struct State {
        var troubles: [ContainerName: Trouble] = [:]
        var attempts: UInt64 = 0
    }

    private let state = Mutex(State())

    package var all: [Trouble] { state.withLock { $0.troubles.values.sorted { $0.container < $1.container } } }

    /// The number of rounds that processed every container, with or without errors.
    package var attempts: UInt64 { state.withLock { $0.attempts } }

    /// Records the error of a container. Returns whether it differs from the one recorded before.
    func note(_ trouble: Trouble) -> Bool {
        state.withLock { $0.troubles.updateValue(trouble, forKey: trouble.container) } != trouble
    }

    func clear(_ container: ContainerName) { state.withLock { $0.troubles[container] = nil } }

    func endRound() { state.withLock { $0.attempts += 1 } }
}

extension ContainerErrors.Trouble {
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
            troubles.clear(container.name)
            return true
        } catch {
            guard let trouble = ContainerErrors.Trouble(error, in: container.name) else { throw error }
            if troubles.note(trouble) {
                context.log.error(
                    "a container cannot be followed",
                    metadata: ["container": "\(container.name)", "why": "\(trouble.message)"])
            }
            return false
        }
    }
}
