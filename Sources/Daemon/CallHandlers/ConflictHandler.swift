import Basics
import CloudModel
import ControlServer
import DaemonProtocol
import Glibc
import LocalMetadata
import Mount
import VirtualFileSystem

struct ConflictHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(conflicts)
        router.on(resolve)
    }

    func conflicts(_ request: ConflictsRequest) async throws -> ConflictsResponse {
        try await blocking { [self] in
            let prefix = request.path.isRoot ? nil : try document(at: request.path)
            return ConflictsResponse(conflicts: try device.metadata.read { try conflicted(below: prefix, $0) })
        }
    }

    private func conflicted(below prefix: LocalItem?, _ transaction: MetadataTransaction) throws -> [ConflictedItem] {
        var documents: [NodeID: LocalItem] = [:]
        for sibling in try transaction.local.allSiblings(limit: 10_000) + transaction.local.packageConflicts() {
            guard let document = try transaction.local.document(ofVersion: sibling),
                try prefix.map({ try transaction.local.isInside(document.node, $0.node) || $0.node == sibling.node })
                    ?? true
            else { continue }
            documents[document.node] = document
        }
        return try documents.values.sorted { $0.node < $1.node }.map { try conflicted($0, transaction) }
    }

    private func conflicted(_ document: LocalItem, _ transaction: MetadataTransaction) throws -> ConflictedItem {
        let versions = try transaction.local.conflicts(of: document)
        return ConflictedItem(
            path: try path(of: document, transaction), current: try side(document, transaction),
            versions: try versions.map { try side($0, transaction) })
    }

    private func side(_ item: LocalItem, _ transaction: MetadataTransaction) throws -> ConflictSide {
        let cloud = try transaction.cloudItem(item)
        let made = try transaction.lastChanged(in: item)
        let author = try transaction.author(of: item) ?? transaction.cloudItem(made)?.device ?? configuration.deviceName
        let version = item.conflictPlace?.version ?? cloud?.version
        return ConflictSide(
            version: version?.description ?? "current", path: try path(of: item, transaction), device: author,
            modified: WireTime(made.attributes.modified), size: try size(of: item, transaction))
    }

    /// Returns the size of an item; for a package, of all files in it.
    private func size(of item: LocalItem, _ transaction: MetadataTransaction) throws -> UInt64 {
        try transaction.syncState(of: item) { _ in TransferFractions() }.size
    }

    /// Resolves a conflict with programs' usual operations: deleting a sibling, renaming it, renaming it over the
    /// document.
    func resolve(_ request: ResolveRequest) async throws -> ResolveResponse {
        try await blocking { [self] in
            let item = try document(at: request.path)
            let (document, siblings) = try device.metadata.read { transaction -> (LocalItem, [LocalItem]) in
                let document = try transaction.local.document(ofVersion: item) ?? item
                return (document, try transaction.local.conflicts(of: document))
            }
            guard !siblings.isEmpty else {
                throw DaemonFailure(
                    .invalidRequest, "not in conflict", path: request.path.description,
                    advice: "`ubiquity conflicts` lists documents in conflict.")
            }
            try resolve(document, siblings, keep: request.keep, request.path)
            return ResolveResponse(resolved: UInt64(siblings.count))
        }
    }

    private func resolve(
        _ document: LocalItem, _ siblings: [LocalItem], keep: ConflictChoice, _ path: MountPath
    ) throws {
        switch keep {
        case .current: for sibling in siblings { try remove(sibling) }
        case .both: for sibling in siblings { try keepBeside(sibling, document) }
        case .version(let text):
            guard let chosen = siblings.first(where: { $0.conflictPlace?.version.description == text }) else {
                throw DaemonFailure(
                    .invalidRequest, "no version \(text) is in conflict", path: path.description,
                    advice: "`ubiquity conflicts` shows the versions.")
            }
            for sibling in siblings where sibling.node != chosen.node { try remove(sibling) }
            guard chosen.kind == .folder else { return try rename(chosen, to: document.name, in: document.parent) }
            // A non-empty folder cannot be renamed over, so both are exchanged, and the losing folder is removed.
            try rename(chosen, to: document.name, in: document.parent, mode: .exchange)
            if let old = try device.metadata.read({ try $0.local.item(document.node) }) { try remove(old) }
        }
    }

    private func remove(_ item: LocalItem) throws {
        guard item.kind != .folder else { return try removeTree(item) }
        try device.files.removeFile(item.name.bytes, in: item.parent)
        device.invalidator.invalidate(nodes: [item.parent], entries: [(item.parent, item.name.bytes)])
    }

    /// Removes a package bottom-up, as `rm -r` does.
    private func removeTree(_ package: LocalItem) throws {
        var items: [LocalItem] = []
        try device.metadata.read { transaction in try transaction.local.forEach(below: package) { items.append($0) } }
        for item in items.reversed() where item.kind != .folder { try remove(item) }
        for folder in items.reversed() where folder.kind == .folder {
            try device.files.removeFolder(folder.name.bytes, in: folder.parent)
            device.invalidator.invalidate(nodes: [folder.parent], entries: [(folder.parent, folder.name.bytes)])
        }
    }

    private func keepBeside(_ sibling: LocalItem, _ document: LocalItem) throws {
        let name = try document.name.firstFree { name in
            try device.metadata.read { try $0.local.item(named: name, in: document.parent) } != nil
        }
        try rename(sibling, to: name, in: document.parent)
    }

    private func rename(
        _ item: LocalItem, to name: ItemName, in folder: NodeID, mode: RenameMode = .replace
    ) throws {
        try device.files.rename(item.name.bytes, in: item.parent, to: name.bytes, in: folder, mode: mode)
        device.invalidator.invalidate(
            nodes: [item.node, item.parent, folder], entries: [(item.parent, item.name.bytes), (folder, name.bytes)])
    }
}
