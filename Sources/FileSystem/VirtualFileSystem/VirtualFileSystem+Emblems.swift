import Basics
package import CloudModel
package import LocalMetadata
import Synchronization

/// The states of many items together, for file managers.
extension VirtualFileSystem {
    /// Returns the emblem of each path, in the same order: in at most one read transaction, without a write, and
    /// without waiting for a transfer or for the lock of an open file.
    ///
    /// - Parameters:
    ///   - paths: Paths below the mount's root, normalised; empty for the root, nil for an impossible path.
    ///   - transfers: Returns the progress of an item's transfers.
    package func emblems(
        of paths: [[UInt8]?], transfers: @escaping (NodeID) -> TransferFractions
    ) throws -> [DocumentEmblem] {
        // Before the rows are read: an edit recorded in between is then in its row.
        let edited = unnotedEdits()
        let snapshot = metadata.snapshot
        let known = snapshot.map { quietEmblems.entries($0) } ?? [:]
        func knownEmblem(of path: [UInt8]?) -> DocumentEmblem? {
            guard let path else { return .outside }
            // Edits and transfers begin without a write.
            guard let entry = known[path], edited.isEmpty || !edited.contains(entry.node),
                transfers(entry.node) == TransferFractions()
            else { return nil }
            return entry.emblem
        }
        var emblems = paths.map(knownEmblem)
        if emblems.contains(nil) {
            try metadata.read { transaction in
                var reader = EmblemReader(transaction: transaction, edited: edited, transfers: transfers)
                for (index, path) in paths.enumerated() where emblems[index] == nil {
                    emblems[index] = try path.map { try reader.emblem(at: $0) }
                }
                if let snapshot { quietEmblems.put(reader.quiet, snapshot) }
            }
        }
        return emblems.map { $0 ?? .outside }
    }

    /// Returns written files whose rows do not say so. A file with a held lock is left out: the edit being recorded
    /// under it is in its row afterwards, and monitors are notified.
    private func unnotedEdits() -> Set<NodeID> {
        var nodes: Set<NodeID> = []
        for file in openFiles.all {
            let isEdited = file.state.withLockIfAvailable { hasUnrecordedWrite(file, $0) }
            if isEdited == true { nodes.insert(file.node) }
        }
        return nodes
    }
}

/// A quiet document's emblem.
struct KnownEmblem: Sendable {
    let node: NodeID
    let emblem: DocumentEmblem
}

/// Reads emblems inside one transaction. The shared context of a folder's items is looked up once.
private struct EmblemReader {
    private struct Folder {
        let node: NodeID
        let isPinned: Bool
    }

    let transaction: MetadataTransaction
    let edited: Set<NodeID>
    let transfers: (NodeID) -> TransferFractions
    /// The folders of the paths so far; nil for missing folders. No more than there are paths.
    private var folders: [ArraySlice<UInt8>: Folder?] = [:]
    /// The quiet documents read so far.
    private(set) var quiet: [[UInt8]: KnownEmblem] = [:]
    /// The folder of the previous path, as a file manager asks for a single folder at a time.
    private var latest: (path: ArraySlice<UInt8>, folder: Folder?)?

    init(
        transaction: MetadataTransaction, edited: Set<NodeID>, transfers: @escaping (NodeID) -> TransferFractions
    ) {
        self.transaction = transaction
        self.edited = edited
        self.transfers = transfers
    }

    mutating func emblem(at path: [UInt8]) throws -> DocumentEmblem {
        guard !path.isEmpty else { return .folder }
        // A corrupt row must not hide other states.
        do { return try readableEmblem(at: path) } catch let error as MetadataError where error.code == .damaged {
            return .error
        }
    }

    private mutating func readableEmblem(at path: [UInt8]) throws -> DocumentEmblem {
        let end = path.lastIndex(of: UInt8(ascii: "/"))
        let parent = path[..<(end ?? 0)]
        if latest?.path != parent { latest = (parent, try folder(at: parent)) }
        guard let folder = latest?.folder else { return .unknown }
        let name = path[(end.map { $0 + 1 } ?? 0)...]
        if let entry = try quietEntry(named: name, in: folder) {
            quiet[path] = entry
            return entry.emblem
        }
        guard let item = try item(named: name, in: folder.node) else { return .unknown }
        var state = try transaction.syncState(of: item) { transfers($0.node) }
        if edited.contains(item.node) { (state.isUploaded, state.percentUploaded) = (false, 0) }
        return DocumentEmblem(
            state, isFolder: item.kind == .folder && !item.isPackage,
            isConflictVersion: try transaction.local.document(ofVersion: item) != nil,
            isPinned: item.pin == .inherited ? folder.isPinned : item.pin == .keep)
    }

    /// Returns nil for an item to be read whole.
    private func quietEntry(named name: ArraySlice<UInt8>, in folder: Folder) throws -> KnownEmblem? {
        guard let document = try transaction.local.quietDocument(named: name, in: folder.node),
            !edited.contains(document.node), transfers(document.node) == TransferFractions(),
            transaction.diverged.isEmpty
        else { return nil }
        let state = DocumentState(
            downloading: document.isHere ? .current : .notDownloaded, isUploaded: true, percentUploaded: 100)
        let isPinned = document.pin == .inherited ? folder.isPinned : document.pin == .keep
        return KnownEmblem(
            node: document.node,
            emblem: DocumentEmblem(state, isFolder: false, isConflictVersion: false, isPinned: isPinned))
    }

    private mutating func folder(at path: ArraySlice<UInt8>) throws -> Folder? {
        if let known = folders[path] { return known }
        var node = NodeID.root
        for name in path.split(separator: UInt8(ascii: "/")) {
            guard let item = try item(named: name, in: node), item.kind == .folder else {
                folders[path] = .some(nil)
                return nil
            }
            node = item.node
        }
        let folder = Folder(node: node, isPinned: try transaction.local.effectivePin(of: node) == .keep)
        folders[path] = folder
        return folder
    }

    /// Returns nil also for an impossible name.
    private func item(named bytes: ArraySlice<UInt8>, in folder: NodeID) throws -> LocalItem? {
        guard let name = try? ItemName(bytes: Array(bytes)) else { return nil }
        return try transaction.local.item(named: name, in: folder)
    }
}
