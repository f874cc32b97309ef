import CloudModel
import ContainerLog
import Foundation
import Logging

/// Chunks of versions that a person removed for good. They are removed immediately, unless something else needs them:
/// an upload that has asked about such a chunk meanwhile is refused when its entry comes, and its device sends the
/// chunk again.
///
/// Each transaction removing chunks verifies that the log and the links have not changed since the needed chunks were
/// determined. If they have grown, the contents of the new entries and links are needed too. So there is no grace
/// period.
extension ChunkCollector {
    private static let step = 256
    /// The number of attempts at a removal while other devices append.
    private static let rounds = 64

    func sweep(
        _ purged: [PurgedContent], _ container: LogStore.StoredContainer, _ needed: NeededChunks,
        _ mark: inout CollectionMark, _ report: inout CollectionReport
    ) async throws {
        for each in purged where !report.gaveWay && each.content.layout != .empty {
            try Task.checkCancellation()
            // Chunks put or asked about by a device since then belong to a later upload.
            let cutoff = each.time + 1
            guard let place = try await chunks.places(of: [each.content.digest], in: container.id).first else {
                continue
            }
            let named =
                each.content.layout == .manifest ? try await chunksNamed(by: place, each.content, container) : []
            // Chunks of a remaining manifest belong to the same later upload.
            guard try await remove([place], needed, of: container, cutoff, &mark, &report) else { continue }
            let ids = Array(Set(named))
            for start in stride(from: 0, to: ids.count, by: Self.step) {
                let part = Array(ids[start..<min(start + Self.step, ids.count)])
                let places = try await chunks.places(of: part, in: container.id)
                _ = try await remove(places, needed, of: container, cutoff, &mark, &report)
            }
        }
    }

    /// Returns the chunks of a manifest. Returns none if it is unreadable: they are collected like those of an
    /// abandoned upload.
    private func chunksNamed(
        by place: ChunkPlace, _ content: ContentReference, _ container: LogStore.StoredContainer
    ) async throws -> [ChunkID] {
        var ids: [ChunkID] = []
        do {
            _ = try await forEachPart(of: place, [Int64(clamping: content.size)], container) { ids += $0 }
        } catch let error as StorageError where error.code == .damaged {
            log.warning("a removed version cannot be read", metadata: ["container": "\(container.id)"])
        }
        return ids
    }

    /// Removes the unneeded chunks among these.
    ///
    /// - Returns: Whether all of them are gone.
    func remove(
        _ places: [ChunkPlace], _ needed: NeededChunks, of container: LogStore.StoredContainer, _ cutoff: Int64,
        _ mark: inout CollectionMark, _ report: inout CollectionReport
    ) async throws -> Bool {
        for _ in 0..<Self.rounds {
            let garbage = try await chunks.threads.blocking { try needed.garbage(among: places) }
            guard !garbage.isEmpty else { return places.isEmpty }
            guard let lock = try CopyLock.collecting(directory) else { break }
            defer { lock.release() }
            let gone = try await chunks.removeRows(
                of: garbage, of: container.account, touchedBefore: cutoff, ifStill: mark)
            if let gone {
                try await removeFrames(of: gone, &report)
                return gone.count == places.count
            }
            try await catchUp(container, needed, &mark)
        }
        report.gaveWay = true
        return false
    }

    /// Records the contents needed by entries and links added since the mark.
    private func catchUp(
        _ container: LogStore.StoredContainer, _ needed: NeededChunks, _ mark: inout CollectionMark
    ) async throws {
        guard let now = try await chunks.mark(of: container.id) else { throw CancellationError() }
        var contents = Set(try await links.contents(heldIn: container.id, at: chunks.now()))
        var position = LogSequence(mark.sequence)
        while position.value < now.sequence {
            let page = try await logs.entries(of: container.id, from: position)
            for entry in page.entries {
                // An entry other than a batch needs nothing.
                if let batch = try? ChangeBatch(decoding: entry.payload) { contents.formUnion(batch.contents) }
            }
            guard let last = page.entries.last?.sequence, last > position else { throw damagedTree }
            position = last
        }
        let found = contents.filter { $0.layout != .empty }
        try await chunks.threads.blocking { try needed.add(found.map(\.digest)) }
        let manifests = Dictionary(grouping: found.filter { $0.layout == .manifest }, by: \.digest)
        try await markChunks(of: manifests, container, needed)
        mark = now
    }
}
