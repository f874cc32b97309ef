import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import LocalContent
import LocalMetadata
import Logging
import Transfers

/// Restores chunks reported lost on their way to the cloud's disk: uploads everything needed by unsent changes again,
/// from this device's files. A batch whose bytes are no longer on any device is withdrawn, and rebuilt from the current
/// state.
struct LostChunks {
    let context: EngineContext

    /// Appends a batch with contents that stay in the cloud. If the cloud lost needed chunks, uploads them and retries
    /// once. In a continuation of the cloud known to the device, the chunks are verified first.
    func append(_ payload: [UInt8], to container: LocalContainer) async throws {
        let key = LocalContainer.unverifiedKey(container.id)
        let isUnverified = try await context.blocking { [context] in
            try context.metadata.read { try $0.setting(key) == .init([1]) }
        }
        if isUnverified {
            context.keys.forgetStored(in: container.name)
            guard try await restore(for: payload, in: container) else { return }
        }
        try await appendRestoring(payload, to: container)
        guard isUnverified else { return }
        try await context.blocking { [context] in
            try context.metadata.write(.uploading) { try $0.setSetting(key, .init([0])) }
        }
    }

    private func appendRestoring(_ payload: [UInt8], to container: LocalContainer) async throws {
        let gate = ContentGate(context: context)
        try await gate.verify(payload, in: container)
        do { _ = try await context.backend.append(payload, to: container.name, after: container.position) } catch let
            error as CloudError
        {
            guard error.code == .damaged else { throw error }
            context.log.error("chunks were lost, sending them again", metadata: ["why": "\(error.message)"])
            context.keys.forgetStored(in: container.name)
            guard try await restore(for: payload, in: container) else { return }
            try await gate.verify(payload, in: container)
            _ = try await context.backend.append(payload, to: container.name, after: container.position)
        }
    }

    /// Returns false if the batch was withdrawn.
    private func restore(for payload: [UInt8], in container: LocalContainer) async throws -> Bool {
        _ = try await context.backend.connect(create: false)
        var needed = try ChangeBatch(decoding: payload).contents
        let items = try await context.blocking { [context] in
            try context.metadata.read { try $0.pending.uploadedFiles(in: container.id) }
        }
        for item in items {
            if let content = try await put(item, to: container.name) { needed.remove(content) }
        }
        for content in needed where try await isHeld(content, in: container.name) { needed.remove(content) }
        guard !needed.isEmpty else { return true }
        context.log.error("a batch is rebuilt: bytes that it names are gone", metadata: ["count": "\(needed.count)"])
        try await context.blocking { [context, needed] in
            try context.metadata.write(.uploading) { transaction in
                try transaction.withdrawBatch(of: container.id)
                for item in try transaction.pending.uploadedFiles(in: container.id) where item.presence != .whole {
                    if let content = item.content, needed.contains(content) { try giveUp(item, transaction) }
                }
            }
        }
        return false
    }

    /// Treats a document with bytes neither on this device nor in the cloud as an edit with lost bytes, so that
    /// everything else is sent. It is sent once it gets new bytes, and goes when it is deleted.
    private func giveUp(_ item: LocalItem, _ transaction: MetadataTransaction) throws {
        var row = item
        (row.content, row.presence, row.ranges, row.isEdited) = (nil, .whole, [], true)
        row.uploadError = "The cloud no longer has its bytes, and this device has no copy. Replace it, or delete it."
        try transaction.local.update(row)
    }

    /// Uploads a file. Returns the reference of its bytes; nil if they differ from those named by the batch.
    private func put(_ item: LocalItem, to container: ContainerName) async throws -> ContentReference? {
        guard let content = item.content, item.presence == .whole, item.size > 0 else { return nil }
        let file: SharedDescriptor
        // The cloud may still have a complete content that is missing locally; the caller asks.
        do { file = SharedDescriptor(adopting: try context.content.open(item.blob)) } catch { return nil }
        let uploader = ContentUploader(context.transfers)
        switch try await uploader.upload([UploadItem(size: content.size, open: { file })], to: container).first {
        case .success(let result)?: return result.reference == content ? content : nil
        case .failure(let error)? where error.code == .changedWhileReading || error.code == .localFile: return nil
        case .failure(let error)?: throw error.cause ?? error
        case nil: return nil
        }
    }

    private func isHeld(_ content: ContentReference, in container: ContainerName) async throws -> Bool {
        let stored = try await context.blocking { [context] in
            try context.metadata.read { try $0.manifest(content.digest) }
        }
        let list = stored.flatMap { try? Manifest(decoding: $0, size: content.size) }
        guard let manifest = Manifest(within: content) ?? list else { return false }
        let chunks = manifest.chunks.map(\.id) + (content.layout == .manifest ? [content.digest] : [])
        return try await context.transfers.missing(chunks, in: container).isEmpty
    }
}
