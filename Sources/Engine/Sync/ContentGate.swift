import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import LocalContent
import LocalMetadata
import Transfers

/// Verifies before each append that no garbage collection may remove a chunk named by the batch, including contents
/// already in the cloud, and stores endangered chunks again (docs/LOG.md, "Collection").
///
/// The batch was built under the newest proposed epoch of that time, and is verified under that epoch or a later one.
struct ContentGate {
    let context: EngineContext

    /// Throws the cloud's errors, and `notFound` for a batch with a document whose bytes are neither in the cloud nor
    /// on this device. Such a batch is withdrawn, so that the next one has the user's response.
    func verify(_ payload: [UInt8], in container: LocalContainer) async throws {
        guard try await context.keys.matter(in: container.name) else { return }
        let batch = try ChangeBatch(decoding: payload)
        for content in batch.contents {
            guard try await !keep(content, in: container) else { continue }
            try await context.blocking { [context] in
                try context.metadata.write(.uploading) { try $0.withdrawBatch(of: container.id) }
            }
            throw CloudError(
                .notFound,
                "The cloud has not all bytes of “\(try await name(of: content, batch, in: container))” any more, and this device has no copy. Save it again from a device that has it, or delete it here."
            )
        }
    }

    /// Returns whether the cloud has all chunks under lasting keys.
    private func keep(_ content: ContentReference, in container: LocalContainer) async throws -> Bool {
        if try await isKept(content, in: container) == true { return true }
        try await sendFromHere(content, in: container)
        guard let manifest = try await manifest(of: content, in: container) else { return false }
        let chunks = manifest.chunks.map { ($0.id, OutgoingChunk.Kind.data) }
        let list = content.layout == .manifest ? [(content.digest, OutgoingChunk.Kind.manifest)] : []
        let missing = try await context.transfers.missing((chunks + list).map(\.0), in: container.name)
        var sent: Set<ChunkID> = []
        for (id, kind) in chunks + list where missing.contains(id) && sent.insert(id).inserted {
            guard let frame = try await frame(of: id, in: container) else { return false }
            try await context.transfers.put([OutgoingChunk(id: id, kind: kind, frame: frame)], in: container.name)
        }
        return true
    }

    /// Returns nil if the chunks are not known on this device.
    private func isKept(_ content: ContentReference, in container: LocalContainer) async throws -> Bool? {
        guard let manifest = try await knownManifest(of: content) else { return nil }
        let list = content.layout == .manifest ? [content.digest] : []
        return try await context.transfers.missing(manifest.chunks.map(\.id) + list, in: container.name).isEmpty
    }

    /// Uploads missing chunks from a local file with the content, if there is such a file.
    private func sendFromHere(_ content: ContentReference, in container: LocalContainer) async throws {
        let holder = try await context.blocking { [context] in
            try context.metadata.read { try $0.local.holder(of: content.digest) }
        }
        // The cloud may have the bytes even if the file's own are unreadable; the caller asks.
        guard let holder, let file = try? SharedDescriptor(adopting: context.content.open(holder.blob)) else { return }
        let item = UploadItem(size: content.size, open: { file })
        let results = try await ContentUploader(context.transfers).upload([item], to: container.name)
        guard case .failure(let error)? = results.first else { return }
        if error.code != .changedWhileReading && error.code != .localFile { throw error.cause ?? error }
    }

    private func knownManifest(of content: ContentReference) async throws -> Manifest? {
        if let manifest = Manifest(within: content) { return manifest }
        let stored = try await context.blocking { [context] in
            try context.metadata.read { try $0.manifest(content.digest) }
        }
        // A damaged manifest is read from the cloud.
        return stored.flatMap { try? Manifest(decoding: $0, size: content.size) }
    }

    private func manifest(of content: ContentReference, in container: LocalContainer) async throws -> Manifest? {
        if let known = try await knownManifest(of: content) { return known }
        guard let frame = try await frame(of: content.digest, in: container) else { return nil }
        let bytes = try ChunkFrame.decode(frame, expecting: content.digest)
        return try Manifest(decoding: bytes, size: content.size)
    }

    /// Returns the intact frame of a chunk; nil if the cloud has none.
    private func frame(of id: ChunkID, in container: LocalContainer) async throws -> [UInt8]? {
        do {
            let frame = try await context.backend.getChunk(id, in: container.name)
            return ChunkFrame.isWrong(frame, for: id) ? nil : frame
        } catch let error as CloudError where error.code == .notFound || error.code == .damaged {
            return nil
        }
    }

    private func name(
        of content: ContentReference, _ batch: ChangeBatch, in container: LocalContainer
    ) async throws -> String {
        for change in batch.changes {
            switch change {
            case .create(_, _, let name, _, let body) where body.content?.reference == content: return "\(name)"
            case .edit(let id, _, .stored(content), _):
                let item = try await context.blocking { [context] in
                    try context.metadata.read { try $0.local.item(id, in: container.id) }
                }
                return item.map { "\($0.name)" } ?? "\(id)"
            default: continue
            }
        }
        return "\(content.digest)"
    }
}
