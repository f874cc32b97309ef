import Basics
import CloudModel
import ContainerLog

/// Deleted items by the path that they had.
extension MetadataTransaction {
    /// Deleted items that were at these names below the mount's root, the newest first. The folders on the way may be gone, also several
    /// times.
    package func deletedItems(at names: [[UInt8]]) throws -> [DeletedItem] {
        let path = names.compactMap { try? ItemName(bytes: $0) }
        guard path.count == names.count, path.count > 1, let last = path.last,
            let root = try item(named: path[0], in: .root), root.item == .root
        else { return [] }
        var folders: Set<ItemID> = [.root]
        for name in path.dropFirst().dropLast() {
            folders = try Set(folders.flatMap { try self.folders(named: name, in: $0, root.container) })
            // A path whose folder was deleted that often in a month is not of documents.
            guard folders.count <= 1_000 else { return [] }
        }
        let found = try folders.flatMap { try deletedItems(of: last, in: $0, root.container) }
        return found.sorted { ($0.time ?? .zero, $0.id) > ($1.time ?? .zero, $1.id) }
    }

    /// The folders that are or were there: as the mount shows them, as the log has them, and those deleted.
    private func folders(named name: ItemName, in parent: ItemID, _ container: ContainerID) throws -> [ItemID] {
        let tree = RemoteTree(self, container: container)
        let key = NameKey(name, folding: try tree.state().foldsNames)
        let shown = try node(of: parent, in: container).flatMap { try item(named: name, in: $0)?.item }
        let live = try tree.child(of: parent, key: key)
        let deleted = try deletedItems(of: name, in: parent, container).filter(\.isFolder).map(\.id)
        return [shown, live].compactMap(\.self) + deleted
    }

    /// The folder at these names as the mount shows it; nil where there is none.
    package func folder(at names: [[UInt8]]) throws -> LocalItem? {
        var folder: LocalItem?
        for bytes in names {
            guard let name = try? ItemName(bytes: bytes),
                let next = try item(named: name, in: folder?.node ?? .root), next.kind == .folder
            else { return nil }
            folder = next
        }
        return folder
    }
}
