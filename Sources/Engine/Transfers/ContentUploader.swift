import Basics
package import Chunking
package import CloudModel
import CloudStorage

/// Uploads files: computes the names of their chunks, queries which are missing, sends those, and the manifest last.
///
/// The next group of chunks is hashed while the current group is sent. Bytes are read again when they are sent and
/// checked against their name, so memory is bounded by the bytes in flight, and a file that changes in between is
/// detected instead of being uploaded as a mixture.
package struct ContentUploader: Sendable {
    /// Chunks per query for missing chunks: their names are 16 KiB.
    static let groupChunks = 512
    static let groupBytes = 32 << 20
    /// A small file produces two events: its chunk and its end.
    private static let groupEvents = 2 * groupChunks
    /// Groups sent in parallel per call; ``TransferSlots`` bounds all calls together.
    static let parallel = 4

    let context: TransferContext
    let chunker: FileChunker

    package init(_ context: TransferContext, parameters: ChunkingParameters = .version1) {
        self.context = context
        chunker = FileChunker(parameters)
    }

    /// Uploads an open file. Throws ``TransferError``, or `CancellationError`.
    ///
    /// - Parameter progress: called with the number of the file's bytes in the cloud. Must return immediately.
    package func upload(
        _ file: SharedDescriptor, size: UInt64, to container: ContainerName,
        stillUnchanged: @escaping @Sendable () -> Bool = { true }, progress: (@Sendable (UInt64) -> Void)? = nil
    ) async throws -> UploadResult {
        let item = UploadItem(size: size, open: { file }, stillUnchanged: stillUnchanged, progress: progress)
        return try await upload([item], to: container)[0].get()
    }

    /// Uploads a batch with a query to the cloud per ``groupChunks`` chunks. A file's own error fails that file only;
    /// when the cloud fails, all unfinished files fail. Throws only `CancellationError`.
    package func upload(
        _ items: [UploadItem], to container: ContainerName
    ) async throws -> [Result<UploadResult, TransferError>] {
        let renewal = UploadRenewal(context, container)
        async let _ = renewal.run()
        var tracker = UploadTracker(sizes: items.map(\.size))
        var staged = await stage(UploadStager(items: items, chunker: chunker))
        while true {
            try Task.checkCancellation()
            for event in staged.events { tracker.add(event) }
            await verify(items, &tracker)
            let pieces = tracker.takePieces()
            if tracker.isOver || (pieces.isEmpty && staged.stager.isAtEnd) { break }
            async let next = stage(staged.stager)
            let sender = PieceSender(items: items, container: container, context: context, renewal: renewal)
            await send(sender, pieces, &tracker)
            await verify(items, &tracker)
            staged = await next
        }
        let forgotten = TransferError(.failed, "The upload ended before this file was done. Upload it again.")
        return tracker.results.map { $0 ?? .failure(forgotten) }
    }

    private struct Staged {
        var events: [StagedEvent] = []
        var stager: UploadStager
    }

    /// Hashes until a group is full or all files are read.
    private func stage(_ stager: UploadStager) async -> Staged {
        var staged = Staged(stager: stager)
        for _ in 0..<(Self.groupBytes / UploadStager.stepBytes) {
            guard !staged.stager.isAtEnd, staged.events.count < Self.groupEvents, !Task.isCancelled else { break }
            let before = staged.stager
            let (events, after) = await context.pool.run {
                var stager = before
                return (stager.step(), stager)
            }
            staged.events += events
            staged.stager = after
        }
        return staged
    }

    /// Asks the callers whether fully read files are unchanged.
    private func verify(_ items: [UploadItem], _ tracker: inout UploadTracker) async {
        let indices = tracker.takeUnverified()
        guard !indices.isEmpty else { return }
        let unchanged = await context.pool.run { indices.map { items[$0].stillUnchanged() } }
        for (index, isUnchanged) in zip(indices, unchanged) { tracker.verified(index, unchanged: isUnchanged) }
    }

    private func send(_ sender: PieceSender, _ pieces: [UploadPiece], _ tracker: inout UploadTracker) async {
        guard !pieces.isEmpty else { return }
        do {
            let missing = try await sender.missing(pieces)
            for piece in pieces where !missing.contains(piece.entry.id) {
                note(piece, sent: 0, sender, &tracker)
            }
            try await put(sender, pieces.filter { missing.contains($0.entry.id) }, &tracker)
        } catch {
            tracker.failRest(TransferError(error))
        }
    }

    /// Sends a few groups at a time. The first failure of the cloud ends it, because further requests would fail in the same way.
    private func put(_ sender: PieceSender, _ pieces: [UploadPiece], _ tracker: inout UploadTracker) async throws {
        try await withThrowingTaskGroup(of: [PieceSender.Outcome].self) { group in
            let together = context.backend.facet((any ChunkBatching).self) != nil
            var rest = PieceGroups(pieces, together: together).groups.makeIterator()
            for _ in 0..<Self.parallel {
                guard let pieces = rest.next() else { break }
                add(pieces, sender, tracker, to: &group)
            }
            while let outcomes = try await group.next() {
                for outcome in outcomes {
                    for failure in outcome.failures { tracker.fail(failure.item, failure.error) }
                    if let sent = outcome.sent { note(outcome.piece, sent: sent, sender, &tracker) }
                }
                if let pieces = rest.next() { add(pieces, sender, tracker, to: &group) }
            }
        }
    }

    private func add(
        _ pieces: [UploadPiece], _ sender: PieceSender, _ tracker: UploadTracker,
        to group: inout ThrowingTaskGroup<[PieceSender.Outcome], any Error>
    ) {
        let members = pieces.map { piece -> (piece: UploadPiece, manifest: Manifest?) in
            guard case .manifest(let item)? = piece.sources.first else { return (piece, nil) }
            return (piece, tracker.manifest(of: item))
        }
        group.addTask { try await sender.send(members) }
    }

    /// Notes that a piece is in the cloud.
    private func note(_ piece: UploadPiece, sent: Int, _ sender: PieceSender, _ tracker: inout UploadTracker) {
        sender.renewal?.add(piece.entry.id)
        for (item, bytes) in tracker.arrived(piece, sent: sent) { sender.items[item].progress?(bytes) }
    }
}
