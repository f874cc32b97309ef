import Basics
package import CloudModel
import Glibc
package import LocalMetadata
import Synchronization

/// Items by path, for the daemon's services.
extension VirtualFileSystem {
    /// Returns the item at these names below the mount's root; nil for the root itself. Throws `ENOENT` if there is
    /// none.
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

    /// Notes the effects of a remote change. Called when it has been committed, before the next transaction can begin.
    package func changed(_ places: [(parent: NodeID, name: ItemName)], removed items: [LocalItem]) {
        for item in items where item.kind != .file { removed.insert(item) }
        staleNames.add(places.map { DocumentPlace($0.parent, $0.name) })
    }

    /// The number to pass to ``notified(_:in:asOf:)`` for later reads or invalidations.
    package var nameChanges: UInt64 { staleNames.changes }

    /// Notes that the kernel knows a name's meaning as of then, or knows nothing of it.
    package func notified(_ name: [UInt8], in parent: NodeID, asOf changes: UInt64) {
        // Nothing has an invalid name.
        if let name = try? Self.name(name) { staleNames.notified(DocumentPlace(parent, name), asOf: changes) }
    }

    /// Throws `ESTALE` for a name that may mean a different item than the kernel knows: the kernel then looks the name
    /// up and repeats the call. To be called in the transaction of a call taking the name from its item.
    func requireKnown(_ name: ItemName, in parent: NodeID) throws(Errno) {
        guard !staleNames.contains(DocumentPlace(parent, name)) else {
            throw Errno(ESTALE, "another device has just given the name to something else")
        }
    }

    /// Detaches items whose names were removed from outside: their handles keep the bytes.
    package func detach(_ items: [LocalItem]) {
        for item in items {
            openFiles[item.node]?.state.withLock { $0.session.unlinked() }
            observer?.happened(.removed(item))
        }
    }
}
