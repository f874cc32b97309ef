import CloudAccess
import CloudModel
import CloudStorage
import DaemonProtocol
import LocalMetadata
import Logging
import Sync

/// Refuses a start with a cloud with which this device's state cannot sync, before anything about it is remembered or
/// mounted. A currently unreachable cloud is no reason: a mount works without one.
struct CloudAdmission {
    let configuration: DaemonConfiguration
    /// The cloud of the last start; nil for a new state.
    let former: String?
    let logger: Logger

    /// How long to wait for a cloud.
    private static let patience = Duration.seconds(5)

    /// Asks the cloud for its identity, if its address has changed since the last start. A state with documents takes a
    /// new address only once that is verified.
    ///
    /// - Throws: ``DaemonFailure``; nothing was changed.
    func check(_ metadata: MetadataDatabase) async throws {
        guard configuration.cloud.description != former, configuration.crashes == 0 else { return }
        let known = try metadata.read { transaction in
            try (
                transaction.setting("cloud").map { String(decoding: $0, as: UTF8.self) }, transaction.containers()
            )
        }
        do {
            guard try await hasResponded({ try await requireContinuation(of: known.0, known.1) }) else {
                guard known.0 != nil else { return }
                throw unverified(DaemonFailure(.offline, "it does not respond"))
            }
        } catch let error as CloudError {
            switch error.code {
            case .foreign where known.0 != nil: throw otherCloud
            case .foreign, .readOnly: throw DaemonFailure(.permissionDenied, sentences: error.message)
            case .offline where known.0 != nil: throw unverified(DaemonFailure(.offline, sentences: error.message))
            case _ where known.0 != nil: throw DaemonFailure(.permissionDenied, sentences: error.message)
            // Time, a sign-in or an update may help.
            default: return
            }
        }
    }

    private func requireContinuation(of known: String?, _ containers: [LocalContainer]) async throws {
        let backend = try configuration.cloud.backend(logger)
        let identity = try await backend.connect(create: known == nil)
        guard let known, known != identity.text else { return }
        try await CloudContinuation(containers: containers, backend: backend).require()
    }

    /// Returns false if the cloud does not respond in time.
    private func hasResponded(_ question: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await question()
                return true
            }
            group.addTask {
                // Only cancellation ends the sleep early, and then the other task has ended.
                try? await Task.sleep(for: Self.patience)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// The failure of a change to an address unverifiable now. It would be remembered, and may be wrong.
    private func unverified(_ why: DaemonFailure) -> DaemonFailure {
        DaemonFailure(
            .offline, "the new address cannot be verified, because \(why.message)",
            path: configuration.cloud.description,
            advice:
                "Nothing was changed. Try again when it can be reached, or mount without --cloud. To move the documents there: `ubiquity cloud move \(configuration.cloud.description)`."
        )
    }

    private var otherCloud: DaemonFailure {
        let cloud = configuration.cloud.description
        let former = former ?? "another cloud"
        return DaemonFailure(
            .conflict, "this folder belongs to another cloud, \(former)", path: configuration.mountPoint,
            advice:
                "Mount \(cloud) on another folder: `ubiquity mount DIR --cloud \(cloud)`. Or move the documents there: mount without --cloud, then `ubiquity cloud move \(cloud)`."
        )
    }
}
