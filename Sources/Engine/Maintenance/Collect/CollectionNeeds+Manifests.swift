import Basics
import Chunking
import CloudModel
import CloudStorage
import LocalMetadata
import Sync
import Transfers

extension CollectionNeeds {
    /// Returns the chunks of all contents.
    ///
    /// - Parameter progress: Called with the number of manifests read.
    /// - Throws: ``CollectionError`` if a manifest cannot be read: the needed chunks are then unknown.
    func allChunks(
        _ context: EngineContext, in container: ContainerName, progress: (UInt64) -> Void
    ) async throws -> NeededChunkSet {
        var needed = chunks
        var done: UInt64 = 0
        for (contents, isHistoric) in [(manifests, false), (historic, true)] {
            for content in contents {
                try Task.checkCancellation()
                needed.insert(content.digest)
                let reader = ManifestReader(context: context, container: container)
                // No device can read a version without its manifest, and a manifest that is put again comes with all
                // its chunks.
                guard let manifest = try await reader.manifest(of: content, mayBeAbsent: isHistoric) else { continue }
                for chunk in manifest.chunks { needed.insert(chunk.id) }
                done += 1
                progress(done)
            }
        }
        needed.seal()
        return needed
    }
}

/// Reads manifests from this device or from the cloud.
struct ManifestReader {
    let context: EngineContext
    let container: ContainerName

    /// Returns nil if the cloud does not have it and `mayBeAbsent` is set.
    func manifest(of content: ContentReference, mayBeAbsent: Bool = false) async throws -> Manifest? {
        if let manifest = Manifest(within: content) { return manifest }
        if let stored = try await stored(content) { return stored }
        do {
            let plain = try await context.plainBytes(of: content.digest, in: container)
            return try Manifest(decoding: plain, size: content.size)
        } catch let error as CloudError where error.code == .notFound && mayBeAbsent {
            return nil
        } catch let error as CloudError where error.code == .notFound || error.code == .damaged {
            throw unreadable(error.message)
        } catch let error as ChunkError { throw unreadable(error.message) }
    }

    /// Returns this device's stored manifest; nil if it has none, or a damaged one.
    private func stored(_ content: ContentReference) async throws -> Manifest? {
        let context = context
        return try await context.blocking {
            guard let bytes = try context.metadata.read({ try $0.manifest(content.digest) }),
                Digest.of(bytes) == content.digest
            else { return nil }
            // The cloud has the manifest too, and its error describes the problem.
            return try? Manifest(decoding: bytes, size: content.size)
        }
    }

    private func unreadable(_ why: String) -> CollectionError {
        CollectionError(
            code: .unreadable,
            message:
                "The list of chunks of a document in \(container) can not be read, so it is not known which chunks are "
                + "garbage; nothing is removed. \(why) Run `ubiquity repair` on a device that has the document.")
    }
}

extension EngineContext {
    /// Fetches a chunk of the cloud and verifies it.
    func plainBytes(of id: ChunkID, in container: ContainerName) async throws -> [UInt8] {
        try await transfers.slots.withSlot(.background) {
            let frame = try await backend.getChunk(id, in: container)
            return try await transfers.pool.run { () throws(ChunkError) in
                try ChunkFrame.decode(frame, expecting: id)
            }
        }
    }
}
