package import CloudModel
import ContainerLog
package import LocalMetadata

/// Deleted items that can be restored: they are in the log, and the cloud keeps their bytes for a while. Needs no
/// network.
package struct DeletedItems: Sendable {
    let context: EngineContext

    package init(_ context: EngineContext) { self.context = context }

    /// The result of a restore.
    package struct Restored: Sendable {
        package let item: LocalItem
        /// The number of restored items, including the content of a folder.
        package var count: UInt64 = 1
        /// The number of items not restored, because their folder was removed or their place was taken during the
        /// restore.
        package var missing: UInt64 = 0
    }

    /// The number of items restored per change of the tree, as every `open` waits for a change.
    private static let page = 200

    /// Restores a deleted item as a placeholder, and a folder with everything deleted with it. The change is sent to
    /// the log next.
    ///
    /// - Parameters:
    ///   - folder: The destination; nil restores to the former folder, including missing folders above it.
    ///   - name: The new name; nil keeps the former name. A taken name gets ` 2`.
    ///   - progress: Called from time to time with the number of restored items and the total.
    /// - Returns: The restored items; nil if nothing can be restored under that id.
    package func restore(
        _ id: ItemID, of container: ContainerID, into folder: NodeID? = nil, named name: ItemName? = nil,
        progress: @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) async throws -> Restored? {
        let inside = try await context.blocking { [context] in
            try context.metadata.read { transaction -> [(id: ItemID, parent: ItemID)] in
                guard let item = try transaction.history.deletedItem(id, in: container) else { return [] }
                var found: [(id: ItemID, parent: ItemID)] = []
                try transaction.forEach(deletedWith: item) { found.append(($0.id, $1.id)) }
                return found
            }
        }
        guard let item = try await top(id, container, folder, name) else { return nil }
        var restored = Restored(item: item)
        var nodes = [id: item.node]
        let total = UInt64(inside.count) + 1
        for start in stride(from: 0, to: inside.count, by: Self.page) {
            try Task.checkCancellation()
            let known = nodes
            let page = inside[start..<min(start + Self.page, inside.count)]
            let added = try await context.blocking { try revive(page, container, below: known) }
            nodes.merge(added) { $1 }
            restored.count += UInt64(added.count)
            progress(restored.count, total)
        }
        restored.missing = total - restored.count
        return restored
    }

    /// Restores the latest deletions from an existing folder, such as a folder that returned with its first restored
    /// item.
    ///
    /// - Returns: The folder and the number of restored items; nil if nothing was deleted in it.
    package func restoreContents(
        of folder: LocalItem, progress: @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) async throws -> Restored? {
        let deleted = try await context.blocking { [context] in
            try context.metadata.read { try $0.history.deletedContents(of: folder) }
        }
        var all = Restored(item: folder, count: 0)
        for item in deleted {
            try Task.checkCancellation()
            let before = all.count
            let restored = try await restore(item.id, of: item.container) { progress(before + $0, before + $1) }
            all.count += restored?.count ?? 0
            all.missing += restored?.missing ?? 1
        }
        return all.count == 0 ? nil : all
    }

    private func top(
        _ id: ItemID, _ container: ContainerID, _ folder: NodeID?, _ name: ItemName?
    ) async throws -> LocalItem? {
        try await context.blocking { [context] in
            try context.changeTree { transaction, effects in
                guard let deleted = try transaction.history.deletedItem(id, in: container) else { return nil }
                var follower = LogFollower(context).follower(transaction, container)
                guard let parent = try folder ?? follower.liveFolder(deleted.cloud.parent) else { return nil }
                let item = try follower.revive(id, in: parent, named: name)
                try follower.showContainer()
                effects = follower.effects
                return item
            }
        }
    }

    private func revive(
        _ page: ArraySlice<(id: ItemID, parent: ItemID)>, _ container: ContainerID, below known: [ItemID: NodeID]
    ) throws -> [ItemID: NodeID] {
        try context.changeTree { transaction, effects in
            var follower = LogFollower(context).follower(transaction, container)
            var added: [ItemID: NodeID] = [:]
            for (id, parent) in page {
                guard let folder = added[parent] ?? known[parent],
                    let item = try follower.revive(id, in: folder)
                else { continue }
                added[id] = item.node
            }
            effects = follower.effects
            return added
        }
    }
}

extension MetadataTransaction {
    /// Enumerates the items deleted with a folder, each after its folder. `body` may throw to stop.
    package func forEach(
        deletedWith top: DeletedItem, _ body: (_ item: DeletedItem, _ folder: DeletedItem) throws -> Void
    ) throws {
        guard top.isFolder else { return }
        var folders = [top]
        // Tombstones of a hostile log may form a cycle.
        var seen: Set<ItemID> = [top.id]
        while let folder = folders.popLast() {
            for child in try history.deletedChildren(of: folder) where seen.insert(child.id).inserted {
                try body(child, folder)
                if child.isFolder { folders.append(child) }
            }
        }
    }
}
