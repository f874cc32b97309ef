import Basics
import Chunking
import CloudModel
import CloudStorage

/// Uploads single pieces of a batch.
struct PieceSender: Sendable {
    struct Failure: Sendable {
        let item: Int
        let error: TransferError
    }

    struct Outcome: Sendable {
        let piece: UploadPiece
        /// The number of bytes sent; nil if no source still had the piece's bytes.
        let sent: Int?
        /// Files that no longer have the named bytes.
        let failures: [Failure]
    }

    let items: [UploadItem]
    let container: ContainerName
    let context: TransferContext
    var renewal: UploadRenewal?

    func missing(_ pieces: [UploadPiece]) async throws -> Set<ChunkID> { try await missing(pieces.map(\.entry.id)) }

    func missing(_ ids: [ChunkID]) async throws -> Set<ChunkID> {
        try await context.uploadSlots.withSlot(.background) { try await context.missing(ids, in: container) }
    }

    /// Sends a group. Throws only the cloud's errors and `CancellationError`. The slot also covers reading and
    /// compressing, which bounds the memory.
    func send(_ group: [(piece: UploadPiece, manifest: Manifest?)]) async throws -> [Outcome] {
        let estimated = group.reduce(0) { $0 + ($1.manifest?.encoded().count ?? $1.piece.entry.length) }
        // Before the slot, to leave it free while others send.
        try await context.up.pass(context.up.makeTicket(), bytes: estimated, .background)
        return try await context.uploadSlots.withSlot(.background) {
            let frames = await context.pool.run { group.map { makeFrame(of: $0.piece, manifest: $0.manifest) } }
            let chunks = zip(group, frames).compactMap { member, made in
                made.frame.map { OutgoingChunk(id: member.piece.entry.id, kind: member.piece.kind, frame: $0) }
            }
            // The part sent by a failed upload is unknown: all of it counts.
            try await context.put(chunks, in: container)
            context.up.correct(estimated, to: chunks.reduce(0) { $0 + $1.frame.count })
            return zip(group, frames).map { member, made in
                Outcome(piece: member.piece, sent: made.frame?.count, failures: made.failures)
            }
        }
    }

    /// Builds the piece's frame from the first source that still has its bytes.
    private func makeFrame(of piece: UploadPiece, manifest: Manifest?) -> (frame: [UInt8]?, failures: [Failure]) {
        var failures: [Failure] = []
        for source in piece.sources {
            do {
                return (ChunkFrame.encode(try bytes(piece.entry, source, manifest)), failures)
            } catch {
                failures.append(Failure(item: source.item, error: TransferError(error)))
            }
        }
        return (nil, failures)
    }

    private func bytes(_ entry: ChunkEntry, _ source: UploadPiece.Source, _ manifest: Manifest?) throws -> [UInt8] {
        let plain =
            switch source {
            case .file(let item, let offset): try items[item].openUnchanged().read(at: offset, length: entry.length)
            case .manifest: manifest?.encoded() ?? []
            }
        guard Digest.of(plain) == entry.id else { throw TransferError.changed }
        return plain
    }
}
