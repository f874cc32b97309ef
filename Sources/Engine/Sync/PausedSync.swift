import Basics
package import CloudModel
import ContainerLog
package import LocalMetadata

/// Documents with paused sync: newer versions in the cloud, and the fate of their edits.
package struct PausedSync: Sendable {
    private let context: EngineContext

    package init(_ context: EngineContext) { self.context = context }

    /// Returns the log's version of a document, if it differs both from the shown content and from the base of its
    /// edit, as far as the log was followed. Nil if there is none, or its bytes are not in the cloud yet.
    package func newer(than item: LocalItem, _ transaction: MetadataTransaction) throws -> HistoricVersion? {
        guard let remote = try transaction.remote(item.item, in: item.container),
            let latest = HistoricVersion(current: remote, in: item.container, at: context.time.now()),
            item.isEdited || latest.content != item.content
        else { return nil }
        let base = try transaction.synced.item(item.item, in: item.container)?.body.content?.reference
        return latest.content == base ? nil : latest
    }

    /// Bases a document's edit on the version seen by the user. Returns false, without any change, if the log now has a
    /// different version, or has deleted the document.
    package func rebase(_ item: LocalItem, on seen: VersionID?) throws -> Bool {
        try context.metadata.write { transaction in
            guard let now = try transaction.local.item(item.node) else { return false }
            guard let remote = try transaction.remote(now.item, in: now.container) else { return !now.isKnown }
            let agreed = try transaction.synced.item(now.item, in: now.container)
            guard let agreed, agreed.body != remote.body else { return true }
            guard remote.version == seen else { return false }
            // There is no edit: following the log replaces this version by the log's.
            guard try !transaction.synced.showsAgreed(now) else { return true }
            var rebased = agreed
            rebased.body = remote.body
            try transaction.synced.set(rebased, in: now.container)
            return true
        }
    }

    /// Replaces the edited content by the log's version, once no program reads or writes the document under a claim.
    package func dropEdits(of item: LocalItem) async throws {
        try await VersionHistory(context).withPermit(item) {
            try context.changeTree { transaction, effects in
                var follower = LogFollower(context).follower(transaction, item.container)
                guard try follower.dropEdits(of: item.item) else {
                    throw VersionError(
                        code: .busy, message: "A program has the document open to write. Close it, then try again.")
                }
                effects = follower.effects
            }
        }
    }
}
