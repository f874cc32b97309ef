import Basics
import CloudModel
import ContainerLog
package import LocalMetadata
import Synchronization

/// The documents with uploads delayed by a ``RewriteLoop``, for the upload's rounds and for status.
package final class RewriteLoops: Sendable {
    private let found = Mutex<[NodeID: RewriteLoop]>([:])
    /// The maximum number of a document's versions to examine; more do not lengthen the pause.
    private static let most = 40

    init() {}

    /// The detected loops, by the document's node.
    package var all: [NodeID: RewriteLoop] { found.withLock { $0 } }

    /// Checks edited files before they are uploaded.
    ///
    /// - Returns: The items allowed to be uploaded now.
    func admit(_ items: [LocalItem], of device: DeviceID, at now: Timestamp, _ metadata: MetadataDatabase) throws
        -> [LocalItem]
    {
        // A document without a version in the log has no history.
        guard items.contains(where: \.isKnown) || !all.isEmpty else { return items }
        return try metadata.read { transaction in
            try items.filter { item in
                let loop = item.isKnown ? try loop(of: item, device, now, transaction) : nil
                found.withLock { $0[item.node] = loop }
                return loop.map { $0.until <= now } ?? true
            }
        }
    }

    /// Forgets ended loops: the document was not written within the window.
    func expire(at now: Timestamp) {
        found.withLock { $0 = $0.filter { $0.value.until.adding(RewriteLoop.window) > now } }
    }

    private func loop(
        of item: LocalItem, _ device: DeviceID, _ now: Timestamp, _ transaction: MetadataTransaction
    ) throws -> RewriteLoop? {
        let limits = VersionLimits(count: Self.most, age: RewriteLoop.window)
        let versions = try transaction.history.versions(of: item.item, in: item.container, limits, at: now)
        guard versions.count >= RewriteLoop.limit, let remote = try transaction.remote(item.item, in: item.container)
        else { return nil }
        return RewriteLoop(
            superseded: versions.map {
                RewriteLoop.Version(author: $0.author, authorName: $0.authorName, superseded: $0.superseded)
            },
            current: RewriteLoop.Version(author: remote.author, authorName: remote.authorName, superseded: now),
            device: device, now: now)
    }
}
