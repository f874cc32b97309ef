import Basics
import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Synchronization
package import Transfers

/// The contents being downloaded to this device.
///
/// There is a ``ContentDownload`` for each blob, shared by all readers of the file and by the queue of wanted
/// downloads. It is kept while a reader has the file open or the queue wants it; when the last of them leaves, its
/// progress is stored in the row and it ends.
///
/// Invariants:
/// - A blob has at most one download, so two never write to the same file.
/// - A row lists bytes as local only after they were synced (``DownloadFinisher``).
/// - A newer version of a file is gathered in its own blob, and replaces the shown version in a single step.
/// - The database is never read under this service's lock: status holds a read of the database while it waits for the
///   lock.
///
/// It must not decide which chunks are fetched next (``FetchPlan`` does), evict anything, or block a caller on the
/// network: opening returns immediately, and reading waits on the download.
package final class ContentService: Sendable {
    let context: EngineContext
    private let active = RankedMutex(.downloads, Active())
    /// Newer versions being gathered beside the shown ones; readers never get these.
    let gathered = Mutex<[NodeID: ActiveDownload]>([:])
    let finisher: DownloadFinisher
    /// The fetches of the queue.
    let running = Mutex<[NodeID: Task<Void, any Error>]>([:])
    /// Downloads that ended early and are still recording their parts.
    let endings = Mutex<[BlobName: Task<Void, Never>]>([:])
    private let arrived = Atomic<UInt64>(0)

    private struct Active {
        var downloads: [BlobName: ActiveDownload] = [:]
        /// The number of ended downloads: rows read from the database before the last end may be stale.
        var departures: UInt64 = 0

        mutating func remove(_ blob: BlobName) {
            downloads[blob] = nil
            departures += 1
        }
    }

    /// A download with the reasons for keeping it.
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

    /// Opens an incomplete blob for a reader.
    ///
    /// - Parameter program: The name of the reading program; nil if unknown. The downloaded bytes are attributed to the
    ///   program that began the download.
    /// - Returns: The descriptor for its writes and its download, shared by all readers.
    /// - Throws: ``StaleItem`` if the item has changed since it was read.
    package func open(
        _ item: LocalItem, for program: String?
    ) throws -> (file: SharedDescriptor, download: ContentDownload) {
        let entry = try join(item, for: DownloadCause(program: program)) { $0.readers += 1 }
        return (entry.file, entry.download)
    }

    /// A counter of events: arrived bytes, a complete file, a permanent failure. Waiters use it to see that downloads
    /// progress.
    package var arrivals: UInt64 { arrived.load(ordering: .relaxed) }

    func noteArrival() { arrived.add(1, ordering: .relaxed) }

    /// Returns a blob's download, active or new, after `note` has changed it.
    ///
    /// The database is read outside the lock: status holds a read of it while it waits for the lock.
    private func join(
        _ item: LocalItem, for cause: DownloadCause, _ note: (inout ActiveDownload) -> Void
    ) throws -> ActiveDownload {
        while true {
            let (present, departures) = active.withLock { active in
                (active.downloads[item.blob] != nil, active.departures)
            }
            if !present { finisher.record(item.blob) }
            let source = present ? nil : try self.source(of: item)
            let entry = try active.withLock { active -> ActiveDownload? in
                var entry = active.downloads[item.blob]
                if entry == nil, let source, active.departures == departures { entry = try start(source, for: cause) }
                guard var entry else { return nil }
                note(&entry)
                active.downloads[item.blob] = entry
                return entry
            }
            if let entry { return entry }
        }
    }

    /// Notes that a reader closed its last handle. Fetched bytes are kept; the rest is fetched only if it was
    /// requested.
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
        endKeepingPart(idle)
    }

    /// Fetches the rest of an open file once its readers take more than a look at it. On a metered network nothing is
    /// fetched ahead; the next read requests it again.
    package func completeInBackground(_ item: LocalItem) {
        guard context.metered.admits(.rest) else { return }
        active.withLock { active in
            guard var entry = active.downloads[item.blob], entry.completion == nil else { return }
            let download = entry.download
            entry.completion = Task {
                do {
                    let whole: Void? = try await context.metered.perform(.rest) { [context] in
                        try await download.completeAll(patience: context.transfers.patience(.seconds(60)))
                    }
                    if whole == nil { interrupted(item, download) }
                } catch { await self.noteDamage(error, of: item) }
            }
            active.downloads[item.blob] = entry
        }
    }

    /// Notes that the rest of a file is no longer being fetched, so that a later read requests it again.
    private func interrupted(_ item: LocalItem, _ download: ContentDownload) {
        active.withLock { active in
            guard active.downloads[item.blob]?.download === download else { return }
            active.downloads[item.blob]?.completion = nil
        }
    }

    /// Fetches all of an item's content, or the log's newer version of it. Returns when it is in place.
    func fetch(_ item: LocalItem) async throws {
        if item.presence == .whole { return try await fetchNewVersion(of: item) }
        let download = try await context.blocking { [self] in
            try join(item, for: DownloadCause(wanted: item.wanted)) { $0.isQueued = true }.download
        }
        defer { unqueue(item) }
        try await download.completeAll(patience: context.transfers.patience(context.timing.patience))
        try await finisher.finish(item.blob)
        noteArrival()
    }

    /// Returns once a complete download of that item is recorded as whole, immediately if it already is.
    package func finish(_ item: LocalItem) async throws { try await finisher.finish(item.blob) }

    /// Records complete downloads, so that an orderly stop does not lose them.
    package func recordComplete() { finisher.recordAll() }

    private func unqueue(_ item: LocalItem) {
        let idle = active.withLock { active -> ActiveDownload? in
            active.downloads[item.blob]?.isQueued = false
            guard let entry = active.downloads[item.blob], entry.readers <= 0 else { return nil }
            active.remove(item.blob)
            return entry.download.isComplete ? nil : entry
        }
        guard let idle else { return }
        endKeepingPart(idle)
    }

    /// The local fraction of a file's bytes while it is being fetched; nil at other times.
    package func progress(of item: LocalItem) -> Double? {
        let entry = active.withLock { $0.downloads[item.blob] } ?? gathered.withLock { $0[item.node] }
        return entry?.download.fractionPresent ?? (finisher.isWritten(item.blob) ? 1 : nil)
    }

    /// All active downloads.
    package var all: [(item: LocalItem, progress: DownloadProgress)] {
        entries.map { ($0.item, $0.download.progress) }
    }

    /// Ends the pauses of downloads, as the cloud is reported to be back.
    func retryNow() {
        context.transfers.silences.endAll()
        for entry in entries { entry.download.retryNow() }
    }

    private var entries: [ActiveDownload] {
        active.withLock { Array($0.downloads.values) } + gathered.withLock { Array($0.values) }
    }

    func isActive(_ blob: BlobName) -> Bool {
        active.withLock { $0.downloads[blob] != nil } || gathered.withLock { $0[NodeID(blob.node)] != nil }
    }
}

/// The item changed after it was read; the caller must read it again.
package struct StaleItem: Error {
    package init() {}
}
