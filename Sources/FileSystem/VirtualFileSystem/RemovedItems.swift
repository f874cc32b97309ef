import Basics
import CloudModel
import Glibc
import LocalContent
import LocalMetadata
import Logging

/// Items whose attributes the kernel may still request though their row is gone: a program's working directory, an open
/// pipe.
final class RemovedItems: Sendable {
    private let items = RankedMutex<(byNode: [NodeID: LocalItem], order: [NodeID])>(.leaf, ([:], []))
    /// Upper bound: beyond it the oldest item is forgotten, and requests for it fail with `ESTALE`.
    private let limit = 1024

    func insert(_ item: LocalItem) {
        items.withLock { items in
            if items.byNode.updateValue(item, forKey: item.node) == nil { items.order.append(item.node) }
            if items.order.count > limit { items.byNode[items.order.removeFirst()] = nil }
        }
    }

    subscript(node: NodeID) -> LocalItem? { items.withLock { $0.byNode[node] } }

    /// Changes a kept item; returns nil for any other.
    func change(_ node: NodeID, _ body: (inout LocalItem) throws -> Void) rethrows -> LocalItem? {
        try items.withLock { items in
            guard var item = items.byNode[node] else { return nil }
            try body(&item)
            items.byNode[node] = item
            return item
        }
    }

    func forget(_ node: NodeID) {
        items.withLock { items in
            guard items.byNode.removeValue(forKey: node) != nil else { return }
            items.order.removeAll { $0 == node }
        }
    }
}

extension VirtualFileSystem {
    /// Returns a rowless item, if kept. A program may remove the row during this lookup: the item is kept when the
    /// transaction has ended, so the lookup comes after the writer. Nil for an open file (``OpenFile/State/item``) or
    /// an item removed by a remote device.
    func removedItem(_ node: NodeID) -> LocalItem? {
        if let item = removed[node] { return item }
        metadata.waitForWriter()
        return removed[node]
    }

    /// Returns an item's row, or its kept copy after removal; `ESTALE` without either: the kernel then looks the name
    /// up again. Must not be called with the file's state locked.
    func itemOrRemoved(_ node: NodeID) throws -> LocalItem {
        if let item = try metadata.item(node) { return item }
        if let item = openFiles[node]?.state.withLock({ $0.item }) ?? removedItem(node) { return item }
        throw Errno(ESTALE)
    }

    /// Changes an item's row, or its kept copy after removal; `ESTALE` without either.
    ///
    /// - Parameters:
    ///   - gone: Changes the kept copy.
    ///   - row: Changes the row, and returns nil if there is none.
    /// - Returns: The row; nil if the item was removed.
    func changeRowOrGone(
        _ node: NodeID, gone: (inout LocalItem) throws -> Void, row: () throws -> LocalItem?
    ) throws -> LocalItem? {
        if try changeGone(node, gone) != nil { return nil }
        if let item = try row() { return item }
        metadata.waitForWriter()
        guard try changeGone(node, hasNoRow: true, gone) != nil else { throw Errno(ESTALE) }
        return nil
    }

    /// Changes a nameless item still held by a program; the change is kept in memory only. Returns nil if `node` has a
    /// name.
    ///
    /// - Parameter hasNoRow: Whether its row is known to be gone: the open file may not have been notified yet.
    private func changeGone(
        _ node: NodeID, hasNoRow: Bool = false, _ body: (inout LocalItem) throws -> Void
    ) throws -> LocalItem? {
        guard let file = openFiles[node] else { return try removed.change(node, body) }
        return try file.state.withLock { state in
            guard state.session.isUnlinked || hasNoRow, var item = state.item else { return nil }
            try body(&item)
            state.item = item
            return item
        }
    }

    /// Keeps the attributes of an unlinked file for a program holding it without having it open (`O_PATH`).
    func keepStatus(_ state: borrowing OpenFile.State) {
        guard var item = state.item else { return }
        if state.download == nil {
            do {
                let blob = try BlobStatus(descriptor: state.descriptor)
                item.size = blob.size
                item.attributes.modified = blob.modified
            } catch { log.debug("an unlinked file keeps the size of its row", metadata: ["error": "\(error)"]) }
        }
        removed.insert(item)
    }
}
