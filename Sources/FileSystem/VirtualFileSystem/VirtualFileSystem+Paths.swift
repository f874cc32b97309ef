import Basics
package import CloudModel
import Glibc
package import LocalMetadata
import Synchronization

/// Items by path, for the daemon's services.
extension VirtualFileSystem {
    /// Returns the item at these names below the mount's root; nil for the root itself. `ENOENT` where there is none.
    package func item(at names: [[UInt8]]) throws -> LocalItem? {
        try metadata.read { transaction in
            var item: LocalItem?
            for bytes in names {
                guard let next = try transaction.local.item(named: try Self.name(bytes), in: item?.node ?? .root) else {
                    throw Errno(ENOENT)
                }
                item = next
            }
            return item
        }
    }

    /// Returns the names from the mount's root down to an item.
    package func path(of node: NodeID) throws -> [ItemName] { try metadata.read { try $0.local.path(of: node) } }

    /// Detaches items whose names were removed from outside: their handles keep the bytes.
    package func detach(_ items: [LocalItem]) {
        for item in items {
            if item.kind == .folder { removed.insert(item) }
            openFiles[item.node]?.state.withLock { $0.isUnlinked = true }
            observer?.happened(.removed(item))
        }
    }
}
