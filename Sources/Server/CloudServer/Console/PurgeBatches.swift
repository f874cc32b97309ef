import Basics
import CloudModel
import ContainerLog
import ServerConsole
import ServerStorage

/// Changes that permanently remove deleted items, a thousand at a time.
struct PurgeBatches: ChangeBatches {
    /// Which items are removed.
    enum Scope {
        /// An item and everything deleted with it.
        case items(ArraySlice<ItemID>)
        /// All items already deleted when the log ended at `seen`.
        case all(seen: LogSequence, after: ItemID?)
    }

    private static let pageSize = 1_000
    private let tree: FoldedContainer
    private var scope: Scope

    init(_ scope: Scope, in tree: FoldedContainer) {
        self.scope = scope
        self.tree = tree
    }

    mutating func next() async throws -> [Change]? {
        while let page = try await nextPage() {
            if !page.isEmpty { return page.map { ConsoleAction.purge($0.id, versions: $0.versions) } }
        }
        return nil
    }

    /// Returns how many items are removed, and the bytes of all their versions.
    func sum() async throws -> (items: Int, bytes: UInt64) {
        var rest = self
        var (items, bytes) = (0, UInt64(0))
        while let page = try await rest.nextPage() {
            items += page.count
            bytes = page.reduce(bytes) { $0.saturatingSum($1.bytes) }
        }
        return (items, bytes)
    }

    private mutating func nextPage() async throws -> [PurgeableItem]? {
        try Task.checkCancellation()
        switch scope {
        case .items(let ids):
            guard !ids.isEmpty else { return nil }
            scope = .items(ids.dropFirst(Self.pageSize))
            return try await tree.purgeable(Array(ids.prefix(Self.pageSize)))
        case .all(let seen, let after):
            let page = try await tree.purgeable(seen: seen, after: after, limit: Self.pageSize)
            guard let last = page.last else { return nil }
            scope = .all(seen: seen, after: last.id)
            return page
        }
    }
}
