import Basics
package import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import Logging

/// Containers with logs that cannot be followed now although the cloud itself works. The other containers continue to
/// sync.
package final class ContainerErrors: Sendable {
    package struct Failure: Hashable, Sendable {
        package let container: ContainerName
        /// The error and the advice, in whole sentences.
        package let message: String
        /// Whether an update of this program resolves it.
        package let needsUpdate: Bool
        /// Whether the cloud's log differs from the log read by this device.
        package let isDiverged: Bool
    }

    private struct State {
        var failures: [ContainerName: Failure] = [:]
        var attempts: UInt64 = 0
    }

    private let state = RankedMutex(.leaf, State())

    package var all: [Failure] { state.withLock { $0.failures.values.sorted { $0.container < $1.container } } }

    /// The number of rounds that processed every container, with or without errors.
    package var attempts: UInt64 { state.withLock { $0.attempts } }

    /// Records the error of a container. Returns whether it differs from the last recorded error.
    func note(_ failure: Failure) -> Bool {
        state.withLock { $0.failures.updateValue(failure, forKey: failure.container) } != failure
    }

    func clear(_ container: ContainerName) { state.withLock { $0.failures[container] = nil } }

    func endRound() { state.withLock { $0.attempts += 1 } }
}

extension ContainerErrors.Failure {
    /// Creates the error of a container; nil for errors not specific to a container.
    init?(_ error: any Error, in container: ContainerName) {
        switch error {
        case let error as LogError:
            self.init(container: container, message: "\(error)", needsUpdate: error.needsUpdate, isDiverged: false)
        case let error as CloudError where [.damaged, .diverged, .tooNew, .notFound].contains(error.code):
            self.init(
                container: container, message: error.message, needsUpdate: error.code == .tooNew,
                isDiverged: error.code == .diverged)
        case let error as MetadataError where error.code == .damaged:
            self.init(container: container, message: error.message, needsUpdate: false, isDiverged: false)
        default: return nil
        }
    }
}

extension SyncEngine {
    /// Runs a container's part of a round. Records an error of this container alone and then returns false.
    func confined(_ container: LocalContainer, _ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            containerErrors.clear(container.name)
            try await noteDivergence(nil, of: container)
            return true
        } catch {
            guard let failure = ContainerErrors.Failure(error, in: container.name) else { throw error }
            if failure.isDiverged { try await noteDivergence(failure.message, of: container) }
            if containerErrors.note(failure) {
                context.log.error(
                    "a container cannot be followed",
                    metadata: ["container": "\(container.name)", "why": "\(failure.message)"])
            }
            return false
        }
    }

    /// Records that the cloud's log differs from the log read by this device, until they match again. Nothing of the
    /// container counts as uploaded meanwhile, across restarts, too.
    private func noteDivergence(_ why: String?, of container: LocalContainer) async throws {
        guard container.divergence != why else { return }
        try await context.blocking { [context] in
            try context.metadata.write(.freeing) { try $0.setDivergence(why, of: container.id) }
            context.metadata.diverged.set(container.id, isDiverged: why != nil)
        }
    }

    /// Restores divergences found before this process started.
    func recallDivergences() {
        // If they cannot be read, the next round finds them again.
        let known = (try? context.metadata.read { try $0.containers() }) ?? []
        for container in known {
            guard let why = container.divergence else { continue }
            context.metadata.diverged.set(container.id, isDiverged: true)
            _ = containerErrors.note(
                .init(container: container.name, message: why, needsUpdate: false, isDiverged: true))
        }
    }
}
