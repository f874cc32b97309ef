import Chunking
import CloudModel
import CloudStorage

/// A chunk or manifest to upload, once for all files that need it.
struct UploadPiece: Sendable {
    enum Source: Sendable {
        case file(item: Int, offset: UInt64)
        case manifest(item: Int)

        var item: Int {
            switch self {
            case .file(let item, _), .manifest(let item): item
            }
        }
    }

    let entry: ChunkEntry
    /// The places of its bytes; any will do, and each names a file waiting for it.
    var sources: [Source]

    var kind: OutgoingChunk.Kind {
        if case .manifest? = sources.first { .manifest } else { .data }
    }
}

/// Tracks a batch: each file's parts missing from the cloud, when its manifest may be sent, and when it is done.
///
/// A manifest is sent only when all its chunks are in the cloud, so a device that finds a manifest finds everything it
/// names.
struct UploadTracker: Sendable {
    private enum Phase {
        case hashing
        /// All chunks are named; some are not in the cloud yet.
        case sending
        /// All chunks are in the cloud. The caller must say whether the file was unchanged when it had been read.
        case verifying
        /// The manifest is being sent.
        case sealing
        case done
        case failed(TransferError)
    }

    private struct Item {
        let size: UInt64
        var phase = Phase.hashing
        var chunks: [ChunkEntry] = []
        var manifest: Manifest?
        var lacking = 0
        var arrivedBytes: UInt64 = 0
        var sentBytes = 0
    }

    /// Whether the batch ended early, so that nothing more need be read.
    private(set) var isOver = false
    private var items: [Item]
    /// Staged pieces not yet taken, at most one per name.
    private var staged: [UploadPiece] = []
    private var stagedIndex: [ChunkID: Int] = [:]
    /// Items for the caller to verify; see ``takeUnverified()``.
    private var unverified: [Int] = []

    init(sizes: [UInt64]) { items = sizes.map { Item(size: $0) } }

    mutating func add(_ event: StagedEvent) {
        switch event {
        case .chunk(let entry, let item, let offset):
            guard case .hashing = items[item].phase else { return }
            items[item].chunks.append(entry)
            stage(entry, .file(item: item, offset: offset))
        case .hashed(let item): hashed(item)
        case .failed(let item, let error): fail(item, error)
        }
    }

    /// Takes the pieces to ask the cloud about next; each is settled by ``arrived(_:sent:)`` or ``fail(_:_:)``.
    mutating func takePieces() -> [UploadPiece] {
        defer {
            staged = []
            stagedIndex = [:]
        }
        return staged.compactMap { piece in
            var piece = piece
            piece.sources.removeAll { isFailed($0.item) }
            return piece.sources.isEmpty ? nil : piece
        }
    }

    /// Takes the files with all chunks in the cloud; each is followed by a call of ``verified(_:unchanged:)``.
    mutating func takeUnverified() -> [Int] {
        defer { unverified = [] }
        return unverified
    }

    mutating func verified(_ item: Int, unchanged: Bool) {
        guard case .verifying = items[item].phase else { return }
        guard unchanged else { return fail(item, .changed) }
        let manifest = Manifest(items[item].chunks)
        items[item].chunks = []
        items[item].manifest = manifest
        let reference = manifest.reference
        guard reference.layout == .manifest else { return items[item].phase = .done }
        items[item].phase = .sealing
        // The length of a manifest chunk is that of its bytes; only its name is used here.
        stage(ChunkEntry(id: reference.digest, length: 0), .manifest(item: item))
    }

    /// Notes that the piece is in the cloud.
    ///
    /// - Returns: The files whose progress grew, with the number of their bytes in the cloud.
    mutating func arrived(_ piece: UploadPiece, sent: Int) -> [(item: Int, bytes: UInt64)] {
        var grown: [Int: UInt64] = [:]
        if let first = piece.sources.first { items[first.item].sentBytes += sent }
        for source in piece.sources where !isFailed(source.item) {
            items[source.item].lacking -= 1
            items[source.item].arrivedBytes += UInt64(piece.entry.length)
            grown[source.item] = items[source.item].arrivedBytes
            settle(source.item)
        }
        return grown.map { ($0.key, $0.value) }
    }

    mutating func fail(_ item: Int, _ error: TransferError) {
        if case .failed = items[item].phase { return }
        items[item].phase = .failed(error)
        items[item].chunks = []
    }

    /// Ends the batch: all unfinished files fail.
    mutating func failRest(_ error: TransferError) {
        isOver = true
        for item in items.indices {
            if case .done = items[item].phase { continue }
            fail(item, error)
        }
    }

    func manifest(of item: Int) -> Manifest? { items[item].manifest }

    /// The result of each file, in order; nil for an unfinished file.
    var results: [Result<UploadResult, TransferError>?] {
        items.map { item in
            switch item.phase {
            case .failed(let error): .failure(error)
            case .done:
                item.manifest.map {
                    .success(UploadResult(reference: $0.reference, manifest: $0, bytesSent: item.sentBytes))
                }
            case .hashing, .sending, .verifying, .sealing: nil
            }
        }
    }

    private mutating func stage(_ entry: ChunkEntry, _ source: UploadPiece.Source) {
        items[source.item].lacking += 1
        if let index = stagedIndex[entry.id] { return staged[index].sources.append(source) }
        stagedIndex[entry.id] = staged.count
        staged.append(UploadPiece(entry: entry, sources: [source]))
    }

    private mutating func hashed(_ index: Int) {
        guard case .hashing = items[index].phase else { return }
        let size = items[index].chunks.reduce(UInt64(0)) { $0 + UInt64($1.length) }
        guard size == items[index].size else { return fail(index, .changed) }
        guard items[index].chunks.count <= Manifest.maximumCount else { return fail(index, .tooManyChunks(size)) }
        items[index].phase = .sending
        settle(index)
    }

    private mutating func settle(_ index: Int) {
        guard items[index].lacking == 0 else { return }
        switch items[index].phase {
        case .sending:
            items[index].phase = .verifying
            unverified.append(index)
        case .sealing: items[index].phase = .done
        case .hashing, .verifying, .done, .failed: break
        }
    }

    private func isFailed(_ item: Int) -> Bool {
        if case .failed = items[item].phase { true } else { false }
    }
}

extension TransferError {
    static var changed: TransferError {
        TransferError(.changedWhileReading, "The file changed while it was read. Upload it again once it has settled.")
    }

    static func tooManyChunks(_ size: UInt64) -> TransferError {
        TransferError(.tooLarge, "A file of \(size) bytes exceeds the size limit. Split it.")
    }
}
