package import CloudModel
package import ContainerLog
import ServerConsole
package import ServerStorage

/// Changes deleting the results of a walk, page by page, so a large tree is never in memory.
package struct DeletionBatches: ChangeBatches {
    /// The most items per deletion. A larger tree has to be deleted in parts.
    static let limit = 1_000_000
    private static let pageSize = 1_000
    /// The most conflict versions per change, and per batch.
    private static let versions = (page: 1_000, batch: 50_000)

    private let tree: FoldedContainer
    private let seen: LogSequence
    /// Whether conflict versions are given up too. Otherwise they become separate documents.
    private let resolvesConflicts: Bool
    private var walk: DescendantWalk
    private var page: ArraySlice<StoredDescendant> = []
    private var left = limit
    /// The item whose conflict versions are currently given up, and the last version processed.
    private var resolving: (item: StoredDescendant, after: VersionID?)?

    package init(
        _ walk: DescendantWalk, in tree: FoldedContainer, seen: LogSequence, resolvesConflicts: Bool
    ) {
        self.walk = walk
        self.tree = tree
        self.seen = seen
        self.resolvesConflicts = resolvesConflicts
    }

    package mutating func next() async throws -> [Change]? {
        var changes: [Change] = []
        var versions = 0
        while changes.count < Self.pageSize, versions < Self.versions.batch {
            if let (item, after) = resolving {
                let page = try await tree.conflictVersions(of: item.id, after: after, limit: Self.versions.page)
                versions += page.count
                resolving = page.last.map { (item, $0) }
                let known = page.filter { $0.sequence <= seen }
                if !known.isEmpty, item.sequence <= seen { changes.append(.resolve(item.id, versions: known)) }
                if page.isEmpty { changes += deletion(of: item) }
            } else if let item = try await nextItem() {
                if resolvesConflicts, item.conflicts > 0 {
                    resolving = (item, nil)
                } else {
                    changes += deletion(of: item)
                }
            } else {
                break
            }
        }
        return changes.isEmpty ? nil : changes
    }

    private func deletion(of item: StoredDescendant) -> [Change] {
        let change = ConsoleAction.delete(item.id, content: item.content, changed: item.sequence, seen: seen)
        return change.map { [$0] } ?? []
    }

    private mutating func nextItem() async throws -> StoredDescendant? {
        try Task.checkCancellation()
        while page.isEmpty, left > 0 {
            let (items, walk) = try await tree.next(of: walk, limit: Self.pageSize)
            guard !items.isEmpty else { break }
            self.walk = walk
            page = items.prefix(left)
            left -= page.count
        }
        return page.popFirst()
    }
}

/// Changes restoring items deleted together, each item after its folder.
struct RestorationBatches: ChangeBatches {
    private let tree: FoldedContainer
    private var items: ArraySlice<ItemID>
    /// The name of the first item.
    private var name: ItemName?

    init(_ items: [ItemID], named name: ItemName, in tree: FoldedContainer) {
        self.items = items[...]
        self.name = name
        self.tree = tree
    }

    mutating func next() async throws -> [Change]? {
        while !items.isEmpty {
            try Task.checkCancellation()
            let page = try await tree.items(items, limit: 1_000)
            let changes = ConsoleAction.restore(page, named: name)
            items = items.dropFirst(page.count)
            name = nil
            if !changes.isEmpty { return changes }
        }
        return nil
    }
}
