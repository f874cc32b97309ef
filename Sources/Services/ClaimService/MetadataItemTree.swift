import CloudModel
package import Coordination
package import LocalMetadata
import Logging

/// The device's tree as the arbiter reads it: the database's current rows. Finding an item costs a keyed lookup for
/// each folder above it, in ``ItemCache`` or else in the database.
struct MetadataItemTree: ItemTree, Sendable {
    let metadata: MetadataDatabase
    let known: ItemCache
    let log: Logger

    func entry(of item: ItemNumber) -> TreeEntry? {
        if item == .root { return TreeEntry(parent: nil, kind: .folder) }
        let row = known[item] ?? learn { try $0.local.item(item.node) }
        return row.map { TreeEntry(parent: $0.place.folder, kind: $0.kind) }
    }

    func item(at place: ItemPlace) -> ItemNumber? {
        (known[place] ?? learn { try $0.local.item(named: place.name, in: place.folder.node) })?.item
    }

    private func learn(_ query: (MetadataTransaction) throws -> LocalItem?) -> ItemCache.Row? {
        let epoch = known.epoch
        guard let row = read(query).map(ItemCache.Row.init) else { return nil }
        known.learn([row], of: epoch)
        return row
    }

    /// Returns whether the item is a file with local bytes.
    func hasContent(_ item: ItemNumber) -> Bool {
        read { try $0.local.item(item.node) }.map { $0.kind == .file && $0.presence == .whole } ?? false
    }

    /// Returns a conflict sibling's document; nil for any other item.
    func document(of sibling: LocalItem) -> (item: ItemNumber, version: VersionID)? {
        guard let conflict = sibling.conflictPlace else { return nil }
        return read { try $0.local.document(ofVersion: sibling) }.map { (ItemNumber($0.node), conflict.version) }
    }

    func item(_ id: ItemID, in container: ContainerID) -> ItemNumber? {
        read { try $0.local.item(id, in: container) }.map { ItemNumber($0.node) }
    }

    func row(of item: ItemNumber) -> LocalItem? { read { try $0.local.item(item.node) } }

    /// Treats an unreadable item as absent: the request is refused, as the program's own access would be.
    private func read(_ query: (MetadataTransaction) throws -> LocalItem?) -> LocalItem? {
        do { return try metadata.read(query) } catch {
            log.error("an item could not be looked up for a claim", metadata: ["error": "\(error)"])
            return nil
        }
    }
}

extension ItemNumber {
    package static let root = ItemNumber(NodeID.root)
    package init(_ node: NodeID) { self.init(Int64(bitPattern: node.value)) }
    package var node: NodeID { NodeID(UInt64(bitPattern: value)) }
}
