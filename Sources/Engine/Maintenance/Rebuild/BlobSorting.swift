import Basics
import Chunking
import CloudModel
import CloudStorage
import Glibc
import LocalContent
import LocalMetadata
import Transfers

/// Goes through all blobs and rows of a device during a rebuild, and decides where each belongs.
struct BlobSorting {
    let old: ContentStore
    let rows: SalvagedRows
    let knowledge: LogKnowledge
    /// Containers whose log still contains everything read by the old state.
    let followed: Set<ContainerID>
    let transfers: TransferContext
    var tree: RecoveredTree
    var report: RebuildReport
    /// Blobs kept with the old state, as `shard/name`.
    private(set) var kept: [String] = []
    /// Rows whose blob was found; the remaining rows have no bytes.
    private var met: Set<NodeID> = []

    init(
        old: ContentStore, rows: SalvagedRows, knowledge: LogKnowledge, followed: Set<ContainerID>,
        transfers: TransferContext, tree: RecoveredTree, report: RebuildReport
    ) {
        self.old = old
        self.rows = rows
        self.knowledge = knowledge
        self.followed = followed
        self.transfers = transfers
        self.tree = tree
        self.report = report
    }

    mutating func run(_ progress: (String) -> Void) async throws {
        for shard in try old.existingShards() {
            // Also shows waiting users that the rebuild advances.
            progress("examining documents on this device, \(shard * 100 / 256) %")
            for blob in try old.blobs(inShard: shard).sorted(by: { $0.description < $1.description }) {
                try await sort(blob)
            }
        }
        for node in rows.nodes() where !met.contains(node) {
            if let row = rows.item(node) { try sortWithoutBytes(row) }
        }
        report.recovered = tree.count
        report.folder = tree.count > 0 ? tree.path : nil
    }

    /// Makes the bytes of recovered documents durable.
    func syncAll() throws { try old.syncAll(old.existingShards().flatMap(old.blobs)) }

    private mutating func sort(_ blob: BlobName) async throws {
        let status = try old.status(blob)
        let row = rows.item(NodeID(blob.node)).flatMap { $0.blob == blob ? $0 : nil }
        if let row { met.insert(row.node) }
        // An empty file without a name carries no information.
        guard status.size > 0 || row != nil else { return }
        let manifest = try await manifest(of: blob)
        let hasHoles = status.blocks * 512 < status.size
        let digest = manifest?.reference.digest
        // A possibly damaged row can provide a name, but must not decide the verdict.
        let observer = row.flatMap { rows.isSound($0.node) ? $0 : nil }
        let verdict = BlobVerdict(
            row: observer, blob: blob, digest: digest, hasHoles: hasHoles, knowledge: knowledge,
            isFollowed: observer.map { followed.contains($0.container) } ?? false)
        switch verdict {
        case .leftover: break
        case .keepAside:
            keepAside(blob)
            if let observer, isGone(observer) { noteLost(observer) }
        case .recover: try recover(blob, status, row)
        case .inCloud:
            if let manifest, try await isHeld(manifest, blob, row) {
                report.inCloud += 1
            } else {
                try recover(blob, status, row)
            }
        }
    }

    private mutating func recover(_ blob: BlobName, _ status: BlobStatus, _ row: LocalItem?) throws {
        if let row, SharedDatabaseFiles.contain(path(of: row)) {
            // Not counted: its origin is known, and its database has its rows.
            return kept.append(ContentStore.path(of: blob))
        }
        try tree.add(blob, of: old, status, row: row, below: row.map(rows.folders) ?? [])
    }

    /// Whether the cloud no longer has the bytes of a document without an edit.
    private func isGone(_ row: LocalItem) -> Bool {
        guard let content = row.content, content.size > 0 else { return false }
        return !knowledge.knows(content.digest)
    }

    /// The names from the container's folder to a row.
    private func path(of row: LocalItem) -> [String] {
        (rows.folders(above: row).dropFirst() + [row]).map(\.name.description)
    }

    private mutating func noteLost(_ row: LocalItem) {
        guard !SharedDatabaseFiles.contain(path(of: row)) else { return }
        report.lost.append((rows.folders(above: row) + [row]).map(\.name.description).joined(separator: "/"))
    }

    private mutating func keepAside(_ blob: BlobName) {
        kept.append(ContentStore.path(of: blob))
        report.keptAside += 1
    }

    /// Returns nil if disk damage makes the bytes unreadable.
    private func manifest(of blob: BlobName) async throws -> Manifest? {
        do {
            let file = SharedDescriptor(adopting: try old.open(blob))
            return try await ContentHasher(pool: transfers.pool).manifest(file)
        } catch is CancellationError { throw CancellationError() } catch { return nil }
    }

    /// Returns whether the cloud holds every chunk, after uploading the lost ones.
    private mutating func isHeld(_ manifest: Manifest, _ blob: BlobName, _ row: LocalItem?) async throws -> Bool {
        let place = row.flatMap { rows.container($0.container) } ?? knowledge.container(of: manifest.reference.digest)
        guard let place else { return false }
        let missing = try await transfers.missing(manifest.chunkIDs, in: place)
        if missing.isEmpty { return true }
        let file = SharedDescriptor(adopting: try old.open(blob))
        do {
            let result = try await ContentUploader(transfers).upload(file, size: manifest.size, to: place)
            report.repaired += 1
            return result.reference == manifest.reference
        } catch is CancellationError { throw CancellationError() } catch {
            // The cloud accepts no uploads now; the content becomes a recovered document and is sent when the cloud does.
            return false
        }
    }

    /// Handles a row without a blob.
    private mutating func sortWithoutBytes(_ row: LocalItem) throws {
        let above = rows.folders(above: row)
        switch row.kind {
        case .folder where SharedDatabaseFiles.containFolder(path(of: row)): break
        case .folder where row.parent != .root && !knowledge.knows(row.item) && !row.isConflictSibling:
            try tree.addFolder(row, below: above)
        case .symlink where !knowledge.knows(row.item) && !row.isConflictSibling: try tree.addEmpty(row, below: above)
        case .file where row.isEdited && row.size == 0: try tree.addEmpty(row, below: above)
        case .file where row.isEdited || isGone(row): noteLost(row)
        case .folder, .file, .symlink, .pipe, .socket: break
        }
    }
}

extension Manifest {
    /// All chunks the cloud must hold for this content to be readable.
    var chunkIDs: [ChunkID] {
        let ids = chunks.map(\.id)
        return reference.layout == .manifest ? ids + [reference.digest] : ids
    }
}
