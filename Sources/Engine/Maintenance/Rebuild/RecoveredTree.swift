import Basics
import CloudModel
import Glibc
import LocalContent
import LocalMetadata

/// Puts documents unknown to the cloud into a new state: `CloudDocs/Documents/Recovered/DEVICE DATE/…`, each at its
/// former path below its container. They are new documents there, so every device receives them.
struct RecoveredTree {
    private let metadata: MetadataDatabase
    private let content: ContentStore
    private let now: Timestamp
    private let newID: @Sendable () -> ItemID
    private let container: ContainerName
    private let home: [ItemName]
    private var folders: [[ItemName]: LocalItem] = [:]
    /// The number of documents in it.
    private(set) var count: UInt64 = 0
    /// Folders with added entries.
    private(set) var changedNodes: Set<NodeID> = []

    /// - Parameter label: Distinguishes recoveries, such as `laptop 2026-11-20 14.03.12`.
    init(
        _ metadata: MetadataDatabase, _ content: ContentStore, in container: ContainerName = .cloudDocs, label: String,
        now: Timestamp, newID: @escaping @Sendable () -> ItemID = ItemID.random
    ) throws {
        self.metadata = metadata
        self.container = container
        self.content = content
        self.now = now
        self.newID = newID
        home = [try ItemName("Recovered"), try ItemName(label)]
        try metadata.write { transaction in
            if try transaction.container(named: container) == nil {
                _ = try transaction.createContainer(container, at: now)
            }
        }
    }

    /// The path where the documents are visible, from the mount's root.
    var path: String { "\(container.folderName)/Documents/" + home.map(\.description).joined(separator: "/") }

    /// Adds the bytes of a blob of `store` as a hard link. `row` is the known state of the document.
    mutating func add(
        _ blob: BlobName, of store: ContentStore, _ status: BlobStatus, row: LocalItem?, below above: [LocalItem]
    ) throws {
        let name = try row?.name ?? ItemName("Unnamed \(blob)")
        let item = try insert(name, .file, row, below: above) { item in
            item.attributes.modified = status.modified
            item.size = status.size
            item.presence = .whole
            item.isEdited = true
            item.generation = 1
            item.pin = row?.pin ?? .inherited
            item.isPaused = row?.isPaused ?? false
        }
        try content.link(blob, of: store, as: item.blob)
    }

    /// Adds a document without bytes: an empty file or a symlink.
    mutating func addEmpty(_ row: LocalItem, below above: [LocalItem]) throws {
        let item = try insert(row.name, row.kind, row, below: above) { item in
            item.target = row.target
            guard row.kind == .file else { return }
            item.presence = .whole
            item.isEdited = true
            item.generation = 1
        }
        if item.kind == .file { close(try content.create(item.blob)) }
    }

    mutating func addFolder(_ row: LocalItem, below above: [LocalItem]) throws {
        _ = try folder(at: above + [row])
        count += 1
    }

    /// Moves a row of this database without a folder into this tree.
    mutating func adopt(_ stranded: LocalItem) throws {
        let folder = try folder(at: [])
        try metadata.write { transaction in
            var item = stranded
            item.parent = folder.node
            item.name = try Self.freeName(stranded.name, in: folder, transaction)
            item.pendingSince = item.isExcluded || item.isConflictSibling ? nil : now
            try transaction.local.update(item)
        }
        count += 1
        changedNodes.insert(folder.node)
    }

    private mutating func insert(
        _ name: ItemName, _ kind: LocalKind, _ row: LocalItem?, below above: [LocalItem],
        fill: (inout LocalItem) -> Void
    ) throws -> LocalItem {
        let folder = try folder(at: above)
        var item = newItem(name, kind, in: folder, like: row)
        fill(&item)
        let inserted = try metadata.write { transaction in
            item.name = try Self.freeName(name, in: folder, transaction)
            item.node = try transaction.local.insert(item)
            return item
        }
        count += 1
        changedNodes.insert(folder.node)
        return inserted
    }

    private func newItem(_ name: ItemName, _ kind: LocalKind, in folder: LocalItem, like row: LocalItem?) -> LocalItem {
        let attributes =
            row?.attributes
            ?? ItemAttributes(
                permissions: kind == .folder ? 0o755 : 0o644, modified: now, created: now)
        var item = LocalItem(
            container: folder.container, item: newID(), parent: folder.node, name: name, kind: kind,
            attributes: attributes, changed: now)
        item.user = row?.user
        item.group = row?.group
        item.exclusion = row?.exclusion ?? .none
        item.pendingSince = item.isExcluded ? nil : now
        return item
    }

    private static func freeName(
        _ name: ItemName, in folder: LocalItem, _ transaction: MetadataTransaction
    ) throws -> ItemName {
        func isTaken(_ name: ItemName) throws -> Bool {
            try transaction.local.item(named: name, in: folder.node) != nil
        }
        return try isTaken(name) ? name.firstFree(where: isTaken) : name
    }

    /// Returns the counterpart of these folders of the old state, creating it and missing folders above it.
    private mutating func folder(at above: [LocalItem]) throws -> LocalItem {
        var current = try documents()
        var path: [ItemName] = []
        for (name, row) in home.map({ ($0, LocalItem?.none) }) + withoutHome(above).map({ ($0.name, $0) }) {
            path.append(name)
            let known = try folders[path] ?? place(name, in: current, like: row)
            folders[path] = known
            current = known
        }
        return current
    }

    /// Returns the folders without those of an earlier recovery, so that a document recovered twice is not nested in
    /// two of them.
    private func withoutHome(_ above: [LocalItem]) -> [LocalItem] {
        guard let start = above.firstIndex(where: { $0.name == home[0] }), start == 2 else { return above }
        return Array(above.dropFirst(start + 2))
    }

    /// Returns the folder of that name, creating it if missing.
    private mutating func place(_ name: ItemName, in parent: LocalItem, like row: LocalItem?) throws -> LocalItem {
        var item = newItem(name, .folder, in: parent, like: row)
        changedNodes.insert(parent.node)
        return try metadata.write { transaction in
            if let present = try transaction.local.item(named: name, in: parent.node), present.kind == .folder {
                return present
            }
            item.name = try Self.freeName(name, in: parent, transaction)
            item.node = try transaction.local.insert(item)
            return item
        }
    }

    private func documents() throws -> LocalItem {
        let found = try metadata.read { transaction in
            try transaction.container(named: container).flatMap { try transaction.local.item(.documents, in: $0.id) }
        }
        guard let found else { throw MetadataError(.damaged, "A new database has no folder for documents.") }
        return found
    }
}
