import CloudModel
import ContainerLog
import Coordination
import LocalMetadata
import Logging

/// The device's tree as the arbiter asks for it: rows of the database, read as they are now. Nothing is kept, so nothing goes stale; an
/// item costs one lookup by its key for each folder above it.
struct MetadataItemTree: ItemTree, Sendable {
    let metadata: MetadataDatabase
    let log: Logger

    func entry(of item: ItemNumber) -> TreeEntry? {
        if item == .root { return TreeEntry(parent: nil, kind: .folder) }
        guard let row = read({ try $0.item(item.node) }) else { return nil }
        return TreeEntry(parent: ItemNumber(row.parent), kind: kind(of: row))
    }

    func item(at place: ItemPlace) -> ItemNumber? {
        read { try $0.item(named: place.name, in: place.folder.node) }.map { ItemNumber($0.node) }
    }

    /// Whether it is a file whose bytes are here.
    func hasContent(_ item: ItemNumber) -> Bool {
        read { try $0.item(item.node) }.map { $0.kind == .file && $0.presence == .whole } ?? false
    }

    /// The document that a conflict sibling is a version of; nil for anything else.
    func document(of sibling: LocalItem) -> (item: ItemNumber, version: VersionID)? {
        guard let conflict = sibling.conflict else { return nil }
        return read { try $0.item(conflict.document, in: sibling.container) }
            .map { (ItemNumber($0.node), conflict.version) }
    }

    func item(_ id: ItemID, in container: ContainerID) -> ItemNumber? {
        read { try $0.item(id, in: container) }.map { ItemNumber($0.node) }
    }

    func row(of item: ItemNumber) -> LocalItem? { read { try $0.item(item.node) } }

    private func kind(of row: LocalItem) -> TreeKind {
        guard row.kind == .folder else { return .file }
        return PackageTypes.isPackage(row.name) ? .package : .folder
    }

    /// What can not be read is not there: the request is refused, as its own program's access would be.
    private func read(_ query: (MetadataTransaction) throws -> LocalItem?) -> LocalItem? {
        do { return try metadata.read(query) } catch {
            log.error("an item could not be looked up for a claim", metadata: ["error": "\(error)"])
            return nil
        }
    }
}

extension ItemNumber {
    static let root = ItemNumber(NodeID.root)
    init(_ node: NodeID) { self.init(Int64(bitPattern: node.value)) }
    var node: NodeID { NodeID(UInt64(bitPattern: value)) }
}
