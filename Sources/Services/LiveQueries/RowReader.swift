import CloudModel
import LocalMetadata
import VirtualFileSystem

/// Reads rows for queries inside a transaction: values shared by several items are looked up once.
struct RowReader {
    private let transaction: MetadataTransaction
    private let transfers: TransferTable
    private let mountPoint: String
    private var folders: [NodeID: FoundRow.Folder] = [:]
    private var containers: [ContainerID: ContainerName] = [:]

    /// The number of folders kept for a batch; further ones are looked up again.
    private static let limit = 4_096

    init(_ transaction: MetadataTransaction, _ transfers: TransferTable, mountPoint: String) {
        self.transaction = transaction
        self.transfers = transfers
        self.mountPoint = mountPoint
    }

    mutating func row(of node: NodeID) throws -> FoundRow? { try transaction.local.item(node).map { try row($0) } }

    mutating func row(_ item: LocalItem) throws -> FoundRow {
        FoundRow(
            item: item, folder: try folder(item.parent, depth: 0), container: try container(item.container),
            sync: try transaction.syncState(of: item) { transfers[$0.node] },
            conflictOf: try document(of: item).map { try self.path(of: $0) }, mountPoint: mountPoint)
    }

    /// Returns the outermost package at or around an item.
    mutating func package(around item: LocalItem) throws -> NodeID? {
        try folder(item.parent, depth: 0).package ?? (item.isPackage ? item.node : nil)
    }

    /// Returns a conflict version's document.
    func document(of item: LocalItem) throws -> LocalItem? {
        try transaction.local.document(ofVersion: item)
    }

    private mutating func path(of item: LocalItem) throws -> [UInt8] {
        let above = try folder(item.parent, depth: 0).path
        return above.isEmpty ? item.name.bytes : above + [UInt8(ascii: "/")] + item.name.bytes
    }

    private mutating func container(_ id: ContainerID) throws -> ContainerName {
        if let known = containers[id] { return known }
        let name = try transaction.container(id)?.name ?? .cloudDocs
        containers[id] = name
        return name
    }

    /// Returns the path of a folder, and whether it is a container's `Documents` or below it.
    mutating func folder(_ node: NodeID, depth: Int) throws -> FoundRow.Folder {
        if let known = folders[node] { return known }
        // Corrupt rows may form a cycle; no path has more folders than this.
        guard node != .root, depth < 1_024, let item = try transaction.local.item(node) else {
            return FoundRow.Folder(path: [], isInDocuments: false)
        }
        let above = try folder(item.parent, depth: depth + 1)
        let path = above.path.isEmpty ? item.name.bytes : above.path + [UInt8(ascii: "/")] + item.name.bytes
        let folder = FoundRow.Folder(
            path: path, isInDocuments: above.isInDocuments || item.item == .documents,
            package: above.package ?? (item.isPackage ? node : nil))
        if folders.count >= Self.limit { folders.removeAll(keepingCapacity: true) }
        folders[node] = folder
        return folder
    }
}
