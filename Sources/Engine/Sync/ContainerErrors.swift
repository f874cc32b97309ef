package import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import Logging
import Synchronization

/// Containers whose logs can not be followed now though the cloud itself works. The others go on.
package final class ContainerErrors: Sendable {
    package struct Trouble: Hashable, Sendable {
        package let container: ContainerName
        /// What happened and what to do, whole sentences.
        package let message: String
        /// An update of this program ends it.
        package let needsUpdate: Bool
    }

    private struct State {
        var troubles: [ContainerName: Trouble] = [:]
        var attempts: UInt64 = 0
    }

    private let state = Mutex(State())

    package var all: [Trouble] { state.withLock { $0.troubles.values.sorted { $0.container < $1.container } } }

    /// Rounds that looked at every container, with or without trouble.
    package var attempts: UInt64 { state.withLock { $0.attempts } }

    /// Returns whether the container can not be followed for another reason than before.
    func note(_ trouble: Trouble) -> Bool {
        state.withLock { $0.troubles.updateValue(trouble, forKey: trouble.container) } != trouble
    }

    func clear(_ container: ContainerName) { state.withLock { $0.troubles[container] = nil } }

    func endRound() { state.withLock { $0.attempts += 1 } }
}

extension ContainerErrors.Trouble {
    /// Nil for errors that concern more than one container.
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
    /// Does a container's part of a round. Trouble that concerns it alone is noted, and answered with false.
    func confined(_ container: LocalContainer, _ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            troubles.clear(container.name)
            return true
        } catch {
            guard let trouble = ContainerErrors.Trouble(error, in: container.name) else { throw error }
            if troubles.note(trouble) {
                context.log.error(
                    "a container can not be followed",
                    metadata: ["container": "\(container.name)", "why": "\(trouble.message)"])
            }
            return false
        }
    }
}
