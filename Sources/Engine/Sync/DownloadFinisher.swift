package import Basics
import Chunking
package import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
import Logging
import Transfers

/// Turns complete downloads into materialised files, in groups: the bytes become durable first, then a single
/// transaction records them. Until then the database does not mention them, so it never promises bytes lost in a crash.
///
/// A lone download is recorded immediately. Downloads that follow within ``gap`` are gathered, unless something waits
/// for one of them: a reading program does not, as it has its bytes already.
final class DownloadFinisher: Sendable {
    fileprivate struct Expected {
        let item: LocalItem
        let reference: ContentReference
        let download: ContentDownload
        let file: SharedDescriptor
    }

    fileprivate struct State {
        var expected: [BlobName: Expected] = [:]
        var complete: [BlobName] = []
        var waiters: [BlobName: [CheckedContinuation<Void, any Error>]] = [:]
        /// Blobs taken out of ``expected`` and being recorded in the database.
        var settling: Set<BlobName> = []
        var isRunning = false
        /// The time until the next group; cancelled if something waits.
        var pause: Task<Void, Never>?

        var isUrgent: Bool { !waiters.isEmpty || complete.count >= DownloadFinisher.limit }
    }

    private let context: EngineContext
    private let state = RankedMutex(.leaf, State())
    /// From this number on, a single flush of the file system is cheaper than flushing each file.
    private static let flushAllFrom = 8
    /// How long completed downloads are gathered.
    static let gap = Duration.milliseconds(100)
    /// The maximum number of gathered downloads. Each keeps a file open.
    static let limit = 128

    init(_ context: EngineContext) { self.context = context }

    func expect(_ item: LocalItem, _ reference: ContentReference, _ download: ContentDownload, _ file: SharedDescriptor)
    {
        state.withLock {
            $0.expected[item.blob] = Expected(item: item, reference: reference, download: download, file: file)
        }
    }

    /// Closes the files of a download that ended early. Does nothing if it is complete after all.
    func forget(_ blob: BlobName, _ download: ContentDownload) {
        state.withLock { state in
            guard let expected = state.expected[blob], expected.download === download, !state.complete.contains(blob),
                state.waiters[blob] == nil
            else { return }
            state.expected[blob] = nil
        }
    }

    /// Notes that all bytes of the blob are written.
    func note(_ blob: BlobName) {
        let starts = state.withLock { state in
            guard state.expected[blob] != nil, !state.complete.contains(blob) else { return false }
            state.complete.append(blob)
            if state.isUrgent { state.pause?.cancel() }
            return state.start()
        }
        if starts { Task { await run() } }
    }

    /// Whether all bytes of the blob are written, and the row does not say so yet.
    func isWritten(_ blob: BlobName) -> Bool {
        state.withLock { $0.complete.contains(blob) || $0.settling.contains(blob) }
    }

    /// Returns once the blob is recorded as whole, immediately if it already is.
    func finish(_ blob: BlobName) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let (isDone, starts) = state.withLock { state -> (Bool, Bool) in
                guard state.expected[blob] != nil || state.settling.contains(blob) else { return (true, false) }
                state.waiters[blob, default: []].append(continuation)
                if state.settling.contains(blob) { return (false, false) }
                if !state.complete.contains(blob) { state.complete.append(blob) }
                state.pause?.cancel()
                return (false, state.start())
            }
            if isDone { continuation.resume() }
            if starts { Task { await run() } }
        }
    }

    private func run() async {
        while true {
            let group = state.withLock { state -> [Expected] in
                let blobs = state.complete
                state.complete = []
                if blobs.isEmpty { state.isRunning = false }
                return state.take(blobs)
            }
            guard !group.isEmpty else {
                if state.withLock({ !$0.isRunning }) { return }
                continue
            }
            let result: Result<Void, any Error>
            do {
                try await context.blocking { try self.settle(group) }
                result = .success(())
            } catch { result = .failure(error) }
            settled(group, result)
            await pause()
        }
    }

    /// Records a complete download before returning, so that a program that reopens the file does not fetch it again.
    /// Does nothing if it is incomplete or being recorded.
    func record(_ blob: BlobName) {
        let group = state.withLock { state -> [Expected] in
            guard let place = state.complete.firstIndex(of: blob) else { return [] }
            state.complete.remove(at: place)
            return state.take([blob])
        }
        guard !group.isEmpty else { return }
        settled(group, Result { try settle(group) })
    }

    /// Records all complete downloads before returning.
    func recordAll() {
        let group = state.withLock { state in
            defer { state.complete = [] }
            return state.take(state.complete)
        }
        guard !group.isEmpty else { return }
        settled(group, Result { try settle(group) })
    }

    private func settled(_ group: [Expected], _ result: Result<Void, any Error>) {
        if case .failure(let error) = result {
            context.log.error("could not note complete downloads", metadata: ["error": "\(error)"])
        }
        let waiters = state.withLock { state in
            state.settling.subtract(group.map(\.item.blob))
            return group.flatMap { state.waiters.removeValue(forKey: $0.item.blob) ?? [] }
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Lets downloads gather.
    private func pause() async {
        let clock = context.clock
        let pause = Task {
            // Ends early if cancelled.
            _ = try? await clock.sleep(for: Self.gap)
        }
        let isUrgent = state.withLock { state in
            state.pause = pause
            return state.isUrgent
        }
        if isUrgent { pause.cancel() }
        await pause.value
        state.withLock { $0.pause = nil }
    }

    private func settle(_ group: [Expected]) throws {
        for entry in group { try LocalContent.setModified(entry.item.attributes.modified, descriptor: entry.file.raw) }
        if group.count < Self.flushAllFrom {
            for entry in group {
                try context.content.syncBytes(of: entry.item.blob, entry.file.raw)
                try context.content.syncName(of: entry.item.blob)
            }
        } else {
            try context.content.syncAll(group.map(\.item.blob))
        }
        try context.metadata.write { transaction in
            for entry in group { try note(entry, transaction) }
        }
    }

    private func note(_ entry: Expected, _ transaction: MetadataTransaction) throws {
        let now = context.time.now()
        guard try transaction.noteWhole(entry.item, holding: entry.reference, at: now) else {
            return context.transferLog.debug(
                "a complete download is void: the document changed", metadata: entry.item.logged)
        }
        context.transferLog.debug("downloaded", metadata: entry.item.logged + ["bytes": "\(entry.reference.size)"])
        if entry.reference.layout == .manifest, let manifest = entry.download.manifest {
            try transaction.setManifest(manifest.encoded(), for: entry.reference.digest)
        }
    }
}

extension MetadataTransaction {
    /// Records that all bytes of `item`'s content are in its blob. Returns false, and changes nothing, if its content
    /// has changed since.
    package func noteWhole(_ item: LocalItem, holding reference: ContentReference, at now: Timestamp) throws -> Bool {
        guard var row = try local.item(item.node), row.generation == item.generation, row.content == reference,
            !row.isEdited
        else { return false }
        row.presence = .whole
        row.ranges = []
        row.wanted = 0
        row.downloadError = nil
        row.used = now
        try local.update(row)
        return true
    }
}

extension DownloadFinisher.State {
    /// Takes the downloads out of the expected ones, to record them.
    fileprivate mutating func take(_ blobs: [BlobName]) -> [DownloadFinisher.Expected] {
        settling.formUnion(blobs)
        let taken = blobs.compactMap { expected.removeValue(forKey: $0) }
        // A download forgotten meanwhile has nothing to record.
        if taken.count < blobs.count { settling.subtract(Set(blobs).subtracting(taken.map(\.item.blob))) }
        return taken
    }

    fileprivate mutating func start() -> Bool {
        guard !isRunning else { return false }
        isRunning = true
        return true
    }
}
