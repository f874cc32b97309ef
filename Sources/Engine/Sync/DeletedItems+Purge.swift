package import Basics
package import CloudModel
import ContainerLog
import LocalMetadata

/// Removing deleted items permanently: no device can restore them any longer, and the cloud frees everything not needed
/// elsewhere. For the log this is the removal of versions from their histories, so an edit unaware of it restores its
/// document as after any deletion.
extension DeletedItems {
    /// The deleted items to remove permanently.
    package struct PurgeScope: Sendable {
        /// The names, from the mount's root, of the items' former place or a folder above it; none for all.
        package let place: [[UInt8]]
        /// Items deleted later stay.
        package let until: Timestamp
        /// The items; nil for all.
        package let items: Set<ItemID>?

        package init(place: [[UInt8]], until: Timestamp, items: Set<ItemID>? = nil) {
            self.place = place
            self.until = until
            self.items = items
        }
    }

    /// The result of a purge.
    package struct Purge: Sendable, Hashable {
        package var items: UInt64 = 0
        /// The bytes of the documents and their earlier versions, an upper bound for the bytes freed in the cloud.
        package var bytes: UInt64 = 0
        /// The number of items kept because their deletion has not reached the cloud yet.
        package var unsent: UInt64 = 0
    }

    /// The number of items removed per database change.
    private static let purgePage = 200

    /// Returns the result that ``purge(_:)`` would have now.
    package func purgeable(_ scope: PurgeScope) async throws -> Purge { try await walk(scope) }

    /// Removes deleted items for good. The change is sent to the log next.
    package func purge(_ scope: PurgeScope) async throws -> Purge {
        try await walk(scope) { found, transaction in
            for version in found.versions {
                try transaction.pending.insert(
                    Resolution(container: found.item.container, item: found.item.id, version: version))
            }
        }
    }

    private struct Found {
        let item: DeletedItem
        /// All versions of its history, including the deleted one.
        let versions: Set<VersionID>
        let bytes: UInt64
    }

    private struct Part {
        let purge: Purge
        let last: ItemHistory.DeletionCursor?
    }

    private func walk(
        _ scope: PurgeScope, _ body: (@Sendable (Found, MetadataTransaction) throws -> Void)? = nil
    ) async throws -> Purge {
        var purge = Purge()
        var cursor: ItemHistory.DeletionCursor?
        repeat {
            try Task.checkCancellation()
            let known = cursor
            let found = try await context.blocking { [self] () throws -> Part in
                guard body != nil else {
                    return try context.metadata.read { try part(scope, after: known, $0, nil) }
                }
                return try context.metadata.write { try part(scope, after: known, $0, body) }
            }
            purge.items += found.purge.items
            purge.bytes = purge.bytes.saturatingSum(found.purge.bytes)
            purge.unsent += found.purge.unsent
            cursor = found.last
        } while cursor != nil
        return purge
    }

    private func part(
        _ scope: PurgeScope, after cursor: ItemHistory.DeletionCursor?, _ transaction: MetadataTransaction,
        _ body: ((Found, MetadataTransaction) throws -> Void)?
    ) throws -> Part {
        var purge = Purge()
        let page = try transaction.history.allDeletions(after: cursor, limit: Self.purgePage)
        for deletion in page where deletion.time <= scope.until && scope.items?.contains(deletion.item) ?? true {
            try add(deletion, scope, &purge, transaction, body)
        }
        return Part(purge: purge, last: page.last)
    }

    private func add(
        _ deletion: ItemHistory.DeletionCursor, _ scope: PurgeScope, _ purge: inout Purge,
        _ transaction: MetadataTransaction, _ body: ((Found, MetadataTransaction) throws -> Void)?
    ) throws {
        guard let item = try transaction.history.deletedItem(deletion.item, in: deletion.container),
            let container = try transaction.container(deletion.container),
            let names = try transaction.history.path(ofDeleted: item)
        else { return }
        let path = [try ItemName(container.name.folderName)] + names
        guard path.lazy.map(\.bytes).starts(with: scope.place) else { return }
        guard item.departure == nil else {
            purge.unsent += 1
            return
        }
        let versions = try transaction.history.allVersions(of: item.id, in: item.container)
        let bytes = versions.reduce(UInt64(0)) { $0.saturatingSum($1.content.size) }
        try body?(
            Found(item: item, versions: Set(versions.map(\.version) + [item.cloud.version]), bytes: bytes), transaction)
        purge.items += 1
        purge.bytes = purge.bytes.saturatingSum(bytes)
    }
}
