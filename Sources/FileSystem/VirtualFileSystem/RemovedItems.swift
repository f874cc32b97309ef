import CloudModel
import LocalContent
import LocalMetadata
import Logging
import Synchronization

/// Items whose attributes the kernel may still request though their row is gone: a folder that is a program's working directory, a pipe
/// that is open.
final class RemovedItems: Sendable {
    private let items = Mutex<(byNode: [NodeID: LocalItem], order: [NodeID])>(([:], []))
    /// Upper bound: beyond it the oldest item is forgotten, and requests for it fail with `ESTALE`.
    private let limit = 1024

    func insert(_ item: LocalItem) {
        items.withLock { items in
            if items.byNode.updateValue(item, forKey: item.node) == nil { items.order.append(item.node) }
            if items.order.count > limit { items.byNode[items.order.removeFirst()] = nil }
        }
    }

    subscript(node: NodeID) -> LocalItem? { items.withLock { $0.byNode[node] } }

    /// Changes an item that is kept; returns nil if it is none of them.
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
    /// Changes an item that has no name any more but that a program still holds; the change is kept in memory only. Returns nil if `node`
    /// has a name.
    func changeGone(_ node: NodeID, _ body: (inout LocalItem) throws -> Void) throws -> LocalItem? {
        guard let file = openFiles[node] else { return try removed.change(node, body) }
        return try file.state.withLock { state in
            guard state.isUnlinked, var item = state.item else { return nil }
            try body(&item)
            state.item = item
            return item
        }
    }

    /// Keeps the attributes of an unlinked file for a program that holds it without having it open (`O_PATH`).
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
