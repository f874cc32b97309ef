import Basics
import CloudModel
package import CloudStorage
import ContainerLog
import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Why the cloud does not accept this device's writes, and when it is asked again. Pure.
///
/// Reading does not depend on it: the cloud stays online, logs are followed and bytes are fetched. Refused changes stay
/// on this device.
package struct WriteRefusal: Equatable, Sendable {
    /// `readOnly` or `quota`.
    package let code: CloudError.Code
    /// The error and the advice, in whole sentences.
    package let message: String
    let time: Timestamp

    /// Whether this device may only read; otherwise the cloud is full.
    package var isReadOnly: Bool { code == .readOnly }

    /// Creates the refusal for an error; nil for an error not specific to writing.
    init?(_ error: any Error, at time: Timestamp) {
        let cloudError = error as? CloudError ?? (error as? TransferError)?.cause as? CloudError
        guard let cloudError, cloudError.code == .readOnly || cloudError.code == .quota else { return nil }
        (code, message, self.time) = (cloudError.code, cloudError.message, time)
    }

    /// Returns whether writing may be tried again. A person changes the access of a device at most now and then, but frees space and waits.
    func mayRetry(at now: Timestamp) -> Bool {
        let pause = code == .readOnly ? Duration.seconds(60) : .seconds(5)
        let passed = Duration.nanoseconds(now.nanoseconds.subtractingReportingOverflow(time.nanoseconds).partialValue)
        // A clock that was set back must not delay it.
        return passed >= pause || passed < .zero
    }
}

/// Writes that the cloud may refuse while it is readable.
extension SyncEngine {
    /// The cloud's last refusal of a change, until it accepts the next one.
    package var refusal: WriteRefusal? { shared.withLock { $0.refusal } }

    /// Whether changes may be sent now. For a waiting client, the cloud is asked immediately.
    var mayWrite: Bool {
        guard let refusal else { return true }
        return context.urgency.isUrgent || refusal.mayRetry(at: context.time.now())
    }

    /// Asks the cloud again with the next round, because the changes to send or the access have changed.
    package func writeAgain() {
        shared.withLock { $0.refusal = nil }
        askCloud()
    }

    func noteAccepted() { shared.withLock { $0.refusal = nil } }

    /// Notes a refusal by the connected cloud. Returns whether the error is a refusal.
    func noteRefusal(_ error: any Error) -> Bool {
        guard state == .online, let refusal = WriteRefusal(error, at: context.time.now()) else { return false }
        let isNew = shared.withLock { shared in
            defer { shared.refusal = refusal }
            return shared.refusal?.message != refusal.message
        }
        if isNew { context.log.notice("the cloud refuses changes", metadata: ["why": "\(refusal.message)"]) }
        return true
    }

    /// Sends the changes of a container unless the cloud refuses them. Returns whether there were any.
    func pushUnlessRefused(_ container: LocalContainer) async throws -> Bool {
        guard mayWrite else {
            if refusal?.isReadOnly == true { try await settleFolderTimes(in: container) }
            return false
        }
        do {
            let didSend = try await push(container)
            if didSend { noteAccepted() }
            return didSend
        } catch {
            guard noteRefusal(error) else { throw error }
            if refusal?.isReadOnly == true {
                try await withdraw(container)
                try await settleFolderTimes(in: container)
            }
            return false
        }
    }

    /// Creates a container of this device in the cloud unless refused.
    func createUnlessRefused(_ container: LocalContainer) async throws {
        guard mayWrite else { return }
        do {
            try await context.backend.createContainer(container.name)
        } catch {
            guard noteRefusal(error) else { throw error }
            return
        }
        try await context.blocking { [context] in
            try context.metadata.write(.uploading) { try $0.setIsInCloud(container.id) }
        }
    }

    /// Settles folders that differ from the log only in their time, updated by a change inside: this is no edit by a
    /// person.
    private func settleFolderTimes(in container: LocalContainer) async throws {
        try await context.blocking { [context] in
            let folders = try context.metadata.read { transaction in
                try transaction.pending.items(before: Timestamp(nanoseconds: .max), limit: 1_000).filter { item in
                    guard item.kind == .folder, item.container == container.id,
                        let agreed = try transaction.agreed(item.item, in: container.id),
                        let state = try transaction.state(item)
                    else { return false }
                    var attributes = state.attributes
                    attributes.modified = agreed.attributes.modified
                    return state.parent == agreed.parent && state.name == agreed.name && attributes == agreed.attributes
                }
            }
            guard !folders.isEmpty else { return }
            try context.metadata.write(.uploading) { transaction in
                for folder in folders {
                    guard var row = try transaction.local.item(folder.node), row == folder else { continue }
                    row.pendingSince = nil
                    try transaction.local.update(row)
                }
            }
        }
    }

    /// Discards the refused batch, so that its items can be removed locally without a trace in the cloud.
    private func withdraw(_ container: LocalContainer) async throws {
        try await context.blocking { [context] in
            try context.metadata.write(.uploading) { try $0.withdrawBatch(of: container.id) }
        }
    }
}
