import Basics
import Chunking
import CloudModel
import CloudStorage
import Sync
import Transfers

/// The content of a collection's list in the cloud: written by the proposing device, read by the removing devices.
struct CollectionListContent {
    private static let pieceBytes = 1 << 20

    let context: EngineContext
    let cloud: any ChunkCollecting
    let container: ContainerName

    /// Puts the list under keys of the newest epoch, which no open collection may remove.
    func put(_ list: CollectionList, epoch: UInt64) async throws -> ContentReference {
        let bytes = list.encoded()
        var entries: [ChunkEntry] = []
        for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
            let piece = Array(bytes[start..<min(start + Self.pieceBytes, bytes.count)])
            let id = Digest.of(piece)
            try await put(OutgoingChunk(id: id, kind: .data, frame: ChunkFrame.encode(piece)), epoch)
            entries.append(ChunkEntry(id: id, length: piece.count))
        }
        let manifest = Manifest(entries)
        let reference = manifest.reference
        if reference.layout == .manifest {
            let frame = ChunkFrame.encode(manifest.encoded())
            try await put(OutgoingChunk(id: reference.digest, kind: .manifest, frame: frame), epoch)
        }
        return reference
    }

    private func put(_ chunk: OutgoingChunk, _ epoch: UInt64) async throws {
        try await context.transfers.slots.withSlot(.background) {
            try await cloud.putChunk(chunk, epoch: epoch, in: container)
        }
    }

    /// Reads the list of a collection. Returns nil if the cloud has none or a meaningless one: then no key may be
    /// removed.
    func read(_ reference: ContentReference, of epoch: UInt64) async throws -> CollectionList? {
        do {
            return try await CollectionList(reading: reference, of: epoch) { [context, container] in
                try await context.plainBytes(of: $0, in: container)
            }
        } catch let error as CloudError {
            guard error.code == .notFound || error.code == .damaged else { throw error }
        } catch let error as ChunkError { guard error.code != .tooNew else { throw error } } catch is ByteCodingError {
        } catch is CollectionError {}
        return nil
    }
}
