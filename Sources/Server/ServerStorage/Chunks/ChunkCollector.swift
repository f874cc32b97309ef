import Chunking
import CloudModel
import CloudProtocol
import Foundation
import Logging

/// Removes unneeded chunks: those without an item, conflict, version of the last days, published link or upload.
///
/// It removes the row first, then the frame. A concurrent put finds that its frame is gone or will be, and writes it
/// again (``ChunkObjects``). A crash in between leaves a frame without a row for a later collection to remove.
struct ChunkCollector: Sendable {
    let logs: LogStore
    let chunks: ChunkStore
    let links: LinkStore
    let trees: ContainerTrees
    let directory: DataDirectory
    let log: Logger

    /// Collects all containers in small steps. An unreadable container, such as one with a newer version's log, is
    /// skipped.
    ///
    /// - Parameter only: The containers to collect; nil for all, and for leftovers of crashes.
    func run(
        _ policy: CollectionPolicy, only: Set<Int64>? = nil, pause: Duration
    ) async throws -> CollectionReport {
        var report = CollectionReport()
        let containers = try await logs.storedContainers().filter { only?.contains($0.id) ?? true }
        for container in containers where !report.gaveWay {
            do {
                try await collect(container, policy, pause, &report)
            } catch let error where !Self.endsCollection(error) {
                report.skipped[container.id] = "\(error)"
                log.warning(
                    "the chunks of a container were not collected",
                    metadata: ["container": "\(container.id)", "why": "\(error)"])
            }
        }
        if !report.gaveWay, only == nil { try await sweepStrays(containers.map(\.id), pause, &report) }
        return report
    }

    private func collect(
        _ container: LogStore.StoredContainer, _ policy: CollectionPolicy, _ pause: Duration,
        _ report: inout CollectionReport
    ) async throws {
        let start = chunks.now()
        guard var mark = try await chunks.mark(of: container.id) else { return }
        let (tree, needed, found) = try await self.mark(container, policy)
        // The log may have grown since it was folded, and before the mark.
        mark.sequence = found.position.sequence.value
        try await sweep(found.purged, container, needed, &mark, &report)
        if !report.gaveWay { try await tree.forget(found.purged) }
        let mayContinue = try await mayContinue(found, container)
        let cutoff = policy.touchedSince(chunks.now(), mayContinue: mayContinue)
        try await sweep(container, needed, cutoff, &mark, pause, &report)
        if !report.gaveWay {
            try await chunks.uploads.collected(
                container.id, of: container.account, at: start, mayContinue: mayContinue)
        }
        report.containers += 1
    }

    /// Whether a document is announced whose upload can still be completed. A document that does not fit is refused by
    /// its device.
    private func mayContinue(_ found: NeededChunks.Found, _ container: LogStore.StoredContainer) async throws -> Bool {
        guard let smallest = found.smallestAnnounced else { return false }
        let accounts = AccountStore(database: chunks.database, time: chunks.time, objects: chunks.objects)
        return smallest <= (try await accounts.space(of: container.account).free)
    }

    /// Whether an error affects all containers, such as a shutdown or a full disk. Whatever one log contains, the
    /// others are collected.
    static func endsCollection(_ error: any Error) -> Bool {
        error is CancellationError || (error as? StorageError)?.code == .full
    }

    // MARK: Mark

    /// Determines the needed chunks from the log as it is now or later. Rethrows the error of a log that cannot be
    /// folded.
    private func mark(
        _ container: LogStore.StoredContainer, _ policy: CollectionPolicy
    ) async throws -> (FoldedContainer, NeededChunks, NeededChunks.Found) {
        let now = chunks.now()
        let since = policy.keptSince(now)
        let published = try await links.contents(heldIn: container.id, at: now)
        let tree = try await trees.folded(container.id, to: LogSequence(container.sequence))
        let (needed, found): (NeededChunks, NeededChunks.Found)
        do { (needed, found) = try await contents(of: tree, container, droppedSince: since, and: published) } catch {
            // It is folded again for the next collection. Only the file may be damaged: the log was read to its end.
            if StorageError.of(error).code == .damaged { try await trees.remove(container.id) }
            throw error
        }
        try await markChunks(of: Dictionary(grouping: found.manifests, by: \.digest), container, needed)
        return (tree, needed, found)
    }

    /// Records the contents needed by a folded log, after verifying that it is the container's log, up to its end.
    private func contents(
        of tree: FoldedContainer, _ container: LogStore.StoredContainer, droppedSince since: Int64,
        and published: [ContentReference]
    ) async throws -> (NeededChunks, NeededChunks.Found) {
        let (needed, found) = try await chunks.threads.blocking {
            let needed = try NeededChunks(path: tree.path)
            return (needed, try needed.addContents(droppedSince: since, and: published))
        }
        // Another process may have replaced the file since it was folded.
        guard found.position.sequence.value >= container.sequence,
            try await trees.isInLog(found.position, of: container.id)
        else { throw damagedTree }
        return (needed, found)
    }

    /// The most bytes to which a container's manifests may inflate in one collection: those of some 60 TiB.
    private static let maximumMarked = 8 << 30

    /// Records the chunks of manifests. Each manifest is read once, regardless of the sizes in its entries. Throws
    /// `damaged` if the needed chunks cannot be determined: then nothing may be removed.
    func markChunks(
        of manifests: [Digest: [ContentReference]], _ container: LogStore.StoredContainer, _ needed: NeededChunks
    ) async throws {
        var inflated = 0
        for (digest, contents) in manifests {
            try Task.checkCancellation()
            let row = try await chunks.manifestRow(digest, in: container.id)
            // No device can read that content, so none of it is needed before it is put again with all its chunks.
            guard let row else { continue }
            let sizes = Set(contents.map { Int64(clamping: $0.size) })
            // Nor can a device read a content whose size differs from that of its chunks.
            if let known = row.content, !sizes.contains(known) { continue }
            inflated += try await markChunks(of: row.place, sizes, container, needed)
            guard inflated <= Self.maximumMarked else {
                throw StorageError(.damaged, "The manifests of a container exceed the limit of a collection.")
            }
        }
    }

    /// - Returns: The length of the manifest in bytes.
    private func markChunks(
        of place: ChunkPlace, _ sizes: Set<Int64>, _ container: LogStore.StoredContainer, _ needed: NeededChunks
    ) async throws -> Int {
        try await forEachPart(of: place, sizes, container) { ids in
            try await chunks.threads.blocking { try needed.add(ids) }
        }
    }

    /// Calls `body` with the chunks of a manifest, part by part.
    ///
    /// - Returns: The length of the manifest in bytes.
    func forEachPart(
        of place: ChunkPlace, _ sizes: Set<Int64>, _ container: LogStore.StoredContainer,
        _ body: ([ChunkID]) async throws -> Void
    ) async throws -> Int {
        // A key for the server's own turns, distinct from all accounts.
        let turns = AccountID(-container.account.value)
        var number = 0
        while true {
            // The first part is read from the disk, because a cached manifest does not show that its file is lost.
            switch try await chunks.manifests.read(place, for: turns, mustRead: number == 0) {
            case .unreadable:
                throw StorageError(.damaged, "A manifest cannot be read, so the needed chunks are unknown.")
            case .none: return place.size
            case .list(let list):
                guard number < list.partCount, sizes.contains(Int64(clamping: list.size)) else { return list.memory }
                try await body(list.part(number).chunks.map(\.id))
                number += 1
            }
        }
    }

    // MARK: Sweep

    private func sweep(
        _ container: LogStore.StoredContainer, _ needed: NeededChunks, _ cutoff: Int64, _ mark: inout CollectionMark,
        _ pause: Duration, _ report: inout CollectionReport
    ) async throws {
        var position = Data()
        while !report.gaveWay {
            try Task.checkCancellation()
            let old = try await chunks.places(in: container.id, after: position, touchedBefore: cutoff)
            guard let last = old.last else { return }
            position = Data(last.id.bytes)
            _ = try await remove(old, needed, of: container, cutoff, &mark, &report)
            try await Task.sleep(for: pause)
        }
    }

    func removeFrames(of gone: [ChunkPlace], _ report: inout CollectionReport) async throws {
        try await chunks.removeFrames(gone.map(\.name))
        report.chunks += gone.count
        report.bytes += gone.reduce(0) { $0 + UInt64($1.size) }
    }
}
