import Basics
import Chunking
import CloudModel
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Transfers

/// Starts downloads, and keeps the partial results when they end early.
extension ContentService {
    /// The rows needed to start a download, read in a single transaction.
    struct Source {
        let item: LocalItem
        let reference: ContentReference
        let container: ContainerName
        let manifest: Manifest?
    }

    func source(of known: LocalItem) throws -> Source {
        let (present, container) = try context.metadata.read {
            (try $0.local.item(known.node), try $0.container(known.container))
        }
        guard let item = present, item.blob == known.blob, item.content == known.content, item.presence != .whole
        else { throw StaleItem() }
        guard let reference = item.content, let container else {
            throw Errno(EAGAIN, "its bytes have not reached the cloud yet")
        }
        return Source(
            item: item, reference: reference, container: container.name, manifest: try storedManifest(of: reference))
    }

    func start(_ source: Source, for cause: DownloadCause) throws -> ActiveDownload {
        let item = source.item
        let isFresh = item.presence == .none
        // An earlier reader's bytes may be about to be recorded: keep them.
        let descriptor = isFresh ? try context.content.openOrCreate(item.blob) : try context.content.open(item.blob)
        let file = SharedDescriptor(adopting: descriptor)
        try check("ftruncate") { ftruncate(descriptor, off_t(item.size)) }
        var options = ContentDownload.Options()
        options.presentChunks = isFresh ? nil : item.ranges
        options.manifest = source.manifest
        options.onReceived = context.figures.counter(for: cause)
        let finisher = finisher
        options.onProgress = { [weak self] progress in
            self?.noteArrival()
            if progress.isComplete { finisher.note(item.blob) }
        }
        let download = ContentDownload(
            source.reference, in: source.container, to: file, context: context.transfers, options: options)
        finisher.expect(item, source.reference, download, file)
        context.transferLog.debug(
            "a download begins",
            metadata: item.logged + ["for": "\(cause.program ?? cause.name)", "bytes": "\(item.size)"])
        return ActiveDownload(item: item, download: download, file: file)
    }

    func storedManifest(of reference: ContentReference) throws -> Manifest? {
        guard reference.layout == .manifest,
            let bytes = try context.metadata.read({ try $0.manifest(reference.digest) })
        else { return nil }
        // A damaged copy is fetched again.
        return try? Manifest(decoding: bytes, size: reference.size)
    }

    /// Records which chunks are on this device, once durable.
    func keepPart(_ entry: ActiveDownload) async {
        await entry.download.stop()
        defer { finisher.forget(entry.item.blob, entry.download) }
        let present = entry.download.presentChunks
        context.transferLog.debug("a download ends early: nothing needs the rest", metadata: entry.item.logged)
        let manifest = entry.download.manifest
        let context = context
        do {
            try await context.blocking {
                guard present.contains(where: { $0 != 0 }) else { return }
                try context.content.syncBytes(of: entry.item.blob, entry.file.raw)
                try context.metadata.write { transaction in
                    guard var row = try transaction.local.item(entry.item.node),
                        row.generation == entry.item.generation,
                        row.presence != .whole, row.content == entry.item.content
                    else { return }
                    row.presence = .partial
                    row.ranges = present
                    try transaction.local.update(row)
                    if let manifest, let digest = row.content?.digest, row.content?.layout == .manifest {
                        try transaction.setManifest(manifest.encoded(), for: digest)
                    }
                }
            }
        } catch {
            // Nothing is lost: unrecorded chunks are downloaded again.
            context.log.warning("could not keep a part of a download", metadata: ["error": "\(error)"])
        }
    }
}
