import Basics
import Chunking
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Synchronization
package import Transfers

/// The bytes that are being fetched: one download per blob, shared by everyone who reads the file and by the queue.
package final class ContentService: Sendable {
    let context: EngineContext
    private let active = Mutex(Active())
    /// Newer versions that are gathered beside the shown ones; readers never get these.
    private let gathered = Mutex<[NodeID: ActiveDownload]>([:])
    private let finisher: DownloadFinisher

    private struct Active {
        var downloads: [BlobName: ActiveDownload] = [:]
        /// How often a download has left: what was read of the database before may be stale then.
        var departures: UInt64 = 0

        mutating func remove(_ blob: BlobName) {
            downloads[blob] = nil
            departures += 1
        }
    }

    /// A download and who keeps it going.
    struct ActiveDownload {
        let item: LocalItem
        let download: ContentDownload
        let file: SharedDescriptor
        var readers = 0
        var isQueued = false
        var completion: Task<Void, Never>?
    }

    package init(_ context: EngineContext) {
        self.context = context
        finisher = DownloadFinisher(context)
    }

    /// Opens a blob that is not whole, for a reader. Answers what it is written through and its download; the same ones to everyone.
    /// Throws ``StaleItem`` where the item is not what it was when it was read.
    package func open(_ item: LocalItem) throws -> (file: SharedDescriptor, download: ContentDownload) {
        let entry = try join(item) { $0.readers += 1 }
        return (entry.file, entry.download)
    }

    /// The download of a blob under way, or a new one, after `note` was told of it.
    ///
    /// The database is read outside the lock: status holds a read of it while it waits for the lock.
    private func join(_ item: LocalItem, _ note: (inout ActiveDownload) -> Void) throws -> ActiveDownload {
        while true {
            let (present, departures) = active.withLock { active in
                (active.downloads[item.blob] != nil, active.departures)
            }
            let source = present ? nil : try self.source(of: item)
            let entry = try active.withLock { active -> ActiveDownload? in
                var entry = active.downloads[item.blob]
                if entry == nil, let source, active.departures == departures { entry = try start(source) }
                guard var entry else { return nil }
                note(&entry)
                active.downloads[item.blob] = entry
                return entry
            }
            if let entry { return entry }
        }
    }

    /// A reader closed its last handle. What it fetched is kept; the rest is left unless it was asked for.
    package func close(_ item: LocalItem) {
        let idle = active.withLock { active -> ActiveDownload? in
            guard var entry = active.downloads[item.blob] else { return nil }
            entry.readers -= 1
            guard entry.readers <= 0, !entry.isQueued else {
                active.downloads[item.blob] = entry
                return nil
            }
            active.remove(item.blob)
            return entry.download.isComplete ? nil : entry
        }
        guard let idle else { return }
        idle.completion?.cancel()
        Task { await keepPart(idle) }
    }

    /// Somebody read from the file: fetch the rest too, while it is open.
    package func completeInBackground(_ item: LocalItem) {
        active.withLock { active in
            guard var entry = active.downloads[item.blob], entry.completion == nil else { return }
            let download = entry.download
            entry.completion = Task {
                do { try await download.completeAll(patience: .seconds(60)) } catch {
                    await self.noteDamage(error, of: item)
                }
            }
            active.downloads[item.blob] = entry
        }
    }

    /// Fetches all of an item's content, or the newer version that the log has of it. Returns when it is in place.
    func fetch(_ item: LocalItem) async throws {
        if item.presence == .whole { return try await fetchNewVersion(of: item) }
        let download = try await context.blocking { [self] in try join(item) { $0.isQueued = true }.download }
        defer { unqueue(item) }
        try await download.completeAll(patience: context.timing.patience)
        try await finisher.finish(item.blob)
    }

    /// Returns once a complete download of that item is noted as whole, or at once where that happened before.
    package func finish(_ item: LocalItem) async throws { try await finisher.finish(item.blob) }

    private func unqueue(_ item: LocalItem) {
        active.withLock { active in
            active.downloads[item.blob]?.isQueued = false
            if let entry = active.downloads[item.blob], entry.readers <= 0 { active.remove(item.blob) }
        }
    }

    /// What a download is started from, read at once.
    private struct Source {
        let item: LocalItem
        let reference: ContentReference
        let container: ContainerName
        let manifest: Manifest?
    }

    private func source(of known: LocalItem) throws -> Source {
        let (present, container) = try context.metadata.read {
            (try $0.item(known.node), try $0.container(known.container))
        }
        guard let item = present, item.blob == known.blob, item.content == known.content, item.presence != .whole
        else { throw StaleItem() }
        guard let reference = item.content, let container else {
            throw Errno(EAGAIN, "its bytes have not reached the cloud yet")
        }
        return Source(
            item: item, reference: reference, container: container.name, manifest: try storedManifest(of: reference))
    }

    private func start(_ source: Source) throws -> ActiveDownload {
        let item = source.item
        let isFresh = item.presence == .none
        // Bytes of an earlier reader may be about to be noted as here: they stay.
        let descriptor = isFresh ? try context.content.openOrCreate(item.blob) : try context.content.open(item.blob)
        let file = SharedDescriptor(adopting: descriptor)
        try check("ftruncate") { ftruncate(descriptor, off_t(item.size)) }
        var options = ContentDownload.Options()
        options.presentChunks = isFresh ? nil : item.ranges
        options.manifest = source.manifest
        let finisher = finisher
        options.onProgress = { progress in
            if progress.isComplete { finisher.note(item.blob) }
        }
        let download = ContentDownload(
            source.reference, in: source.container, to: file, context: context.transfers, options: options)
        finisher.expect(item, source.reference, download, file)
        return ActiveDownload(item: item, download: download, file: file)
    }

    func storedManifest(of reference: ContentReference) throws -> Manifest? {
        guard reference.layout == .manifest,
            let bytes = try context.metadata.read({ try $0.manifest(reference.digest) })
        else { return nil }
        // A damaged copy is fetched anew.
        return try? Manifest(decoding: bytes, size: reference.size)
    }

    /// Writes down which chunks are here, after they are on the platter.
    private func keepPart(_ entry: ActiveDownload) async {
        await entry.download.stop()
        let present = entry.download.presentChunks
        let manifest = entry.download.manifest
        let context = context
        do {
            try await context.blocking {
                guard present.contains(where: { $0 != 0 }) else { return }
                try context.content.syncBytes(of: entry.item.blob, entry.file.raw)
                try context.metadata.write { transaction in
                    guard var row = try transaction.item(entry.item.node), row.generation == entry.item.generation,
                        row.presence != .whole, row.content == entry.item.content
                    else { return }
                    row.presence = .partial
                    row.ranges = present
                    try transaction.update(row)
                    if let manifest, let digest = row.content?.digest, row.content?.layout == .manifest {
                        try transaction.setManifest(manifest.encoded(), for: digest)
                    }
                }
            }
        } catch {
            // Nothing is lost: what was not noted is fetched again.
            context.log.warning("could not keep a part of a download", metadata: ["error": "\(error)"])
        }
    }

    /// The share of a file's bytes that is here while it is being fetched; nil when it is not.
    package func progress(of item: LocalItem) -> Double? {
        (active.withLock { $0.downloads[item.blob] } ?? gathered.withLock { $0[item.node] }).map(
            \.download.fractionPresent)
    }

    /// All downloads under way.
    package var all: [(item: LocalItem, progress: DownloadProgress)] {
        entries.map { ($0.item, $0.download.progress) }
    }

    /// The cloud is said to be back: do not wait for the end of a pause.
    func retryNow() { for entry in entries { entry.download.retryNow() } }

    private var entries: [ActiveDownload] {
        active.withLock { Array($0.downloads.values) } + gathered.withLock { Array($0.values) }
    }

    func isActive(_ blob: BlobName) -> Bool {
        active.withLock { $0.downloads[blob] != nil } || gathered.withLock { $0[NodeID(blob.node)] != nil }
    }
}

/// An item that was read before it changed: it wants reading again.
package struct StaleItem: Error {
    package init() {}
}

// MARK: Newer versions

extension ContentService {
    /// Fetches the log's present content beside the shown one and swaps it in once all of it is here and durable.
    private func fetchNewVersion(of item: LocalItem) async throws {
        let context = context
        let wanted = try await context.blocking { () -> (reference: ContentReference, container: ContainerName)? in
            try context.metadata.read { transaction in
                guard let reference = try transaction.cloudItem(item)?.content, try transaction.isStale(item),
                    let container = try transaction.container(item.container)
                else { return nil }
                return (reference, container.name)
            }
        }
        guard let wanted else { return try await context.blocking { try self.clearWanted(item) } }
        // The time makes a name that no other content of this file has had or gets by counting up.
        let unique = UInt64(max(0, context.time.now().nanoseconds))
        let blob = BlobName(node: item.node.value, generation: max(item.generation + 1, unique))
        let file = SharedDescriptor(adopting: try context.content.create(blob))
        try check("ftruncate") { ftruncate(file.raw, off_t(wanted.reference.size)) }
        var options = ContentDownload.Options()
        options.manifest = try storedManifest(of: wanted.reference)
        options.reuse = try reusable(item)
        let download = ContentDownload(
            wanted.reference, in: wanted.container, to: file, context: context.transfers, options: options)
        gathered.withLock { $0[item.node] = ActiveDownload(item: item, download: download, file: file, isQueued: true) }
        defer { _ = gathered.withLock { $0.removeValue(forKey: item.node) } }
        try await download.completeAll(patience: context.timing.patience)
        let version = NewVersion(
            reference: wanted.reference, file: file, blob: blob, replaced: item, manifest: download.manifest)
        try await context.blocking { [self] in try installInTurn(version) }
    }

    /// A version all of whose bytes are in `blob`.
    private struct NewVersion: Sendable {
        let reference: ContentReference
        let file: SharedDescriptor
        let blob: BlobName
        let replaced: LocalItem
        let manifest: Manifest?
    }

    /// Swaps it in while nobody reads or writes the item under a claim, and after those who show it have saved. Where that takes its time it
    /// waits by itself.
    private func installInTurn(_ version: NewVersion) throws {
        if context.turns.areFree {
            do { return try install(version, ifFree: true) } catch is TurnNeeded {}
        }
        switch context.turns.ask(.swap, for: version.replaced.node) {
        case .now(let end):
            defer { end() }
            try install(version)
        case .later(let turn):
            let isWaiting = context.waiting.add(version.replaced.node, turn) { [self] in await installLate(version, $0)
            }
            if !isWaiting { try context.content.remove(version.blob) }
        // Asked for again by the next look at what the log has and this device has not.
        case .refused: try context.content.remove(version.blob)
        }
    }

    private func installLate(_ version: NewVersion, _ end: TurnEnd?) async {
        do {
            try await context.blocking { [self] in
                defer { end?() }
                guard end != nil else { return try context.content.remove(version.blob) }
                context.mounted.noteIdleEdits(pause: .zero)
                try install(version)
            }
        } catch {
            context.log.warning("a newer version could not be swapped in", metadata: ["error": "\(error)"])
        }
    }

    /// The shown version, so that chunks both have need not travel.
    private func reusable(_ item: LocalItem) throws -> ChunkSource? {
        guard let reference = item.content,
            let manifest = try storedManifest(of: reference) ?? Manifest(within: reference)
        else { return nil }
        return ChunkSource(file: SharedDescriptor(adopting: try context.content.open(item.blob)), manifest: manifest)
    }

    private func install(_ version: NewVersion, ifFree: Bool = false) throws {
        let (reference, blob, item) = (version.reference, version.blob, version.replaced)
        try context.content.syncBytes(of: blob, version.file.raw)
        try context.content.syncName(of: blob)
        let isInstalled = try context.changeTree(ifFree: ifFree) { transaction, effects in
            var follower = LogFollower(context).follower(transaction, item.container)
            let name = try follower.install(reference, blob: blob, replacing: item)
            if let name, name != blob {
                try context.content.rename(blob, to: name)
                try context.content.syncName(of: name)
            }
            let isInstalled = name != nil
            if isInstalled, let manifest = version.manifest, reference.layout == .manifest {
                try transaction.setManifest(manifest.encoded(), for: reference.digest)
            }
            effects = follower.effects
            return isInstalled
        }
        if !isInstalled { try context.content.remove(blob) }
    }

    private func clearWanted(_ item: LocalItem) throws {
        try context.metadata.write { transaction in
            guard var row = try transaction.item(item.node) else { return }
            row.wanted = 0
            try transaction.update(row)
        }
    }
}
