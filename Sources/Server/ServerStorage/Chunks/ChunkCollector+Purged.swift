import CloudModel
import ContainerLog
import Foundation
import Logging

/// Chunks of versions that a person removed for good. They are removed immediately, if nothing else needs them: an upload that has asked
/// about one of them meanwhile is refused when its entry comes, and its device sends the chunk again.
///
/// Each transaction that removes chunks verifies that the log and the links are those for which the needed chunks were determined. Where they
/// have grown, the contents of the new entries and links are needed too. So no time has to pass.
extension ChunkCollector {
    private static let step = 256
    /// How many times a removal is tried while other devices append.
    private static let rounds = 64

    func sweep(
        _ purged: [PurgedContent], _ container: LogStore.StoredContainer, _ needed: NeededChunks,
        _ mark: inout CollectionMark, _ report: inout CollectionReport
    ) async throws {
        for each in purged where !report.gaveWay && each.content.layout != .empty {
            try Task.checkCancellation()
            // Chunks that a device has put or asked about since then belong to a later upload.
            let cutoff = each.time + 1
            guard let place = try await chunks.places(of: [each.content.digest], in: container.id).first else {
                continue
            }
            let named =
                each.content.layout == .manifest ? try await chunksNamed(by: place, each.content, container) : []
            // Chunks of a manifest that stays belong to the same later upload.
            guard try await remove([place], needed, of: container, cutoff, &mark, &report) else { continue }
            let ids = Array(Set(named))
            for start in stride(from: 0, to: ids.count, by: Self.step) {
                let part = Array(ids[start..<min(start + Self.step, ids.count)])
                let places = try await chunks.places(of: part, in: container.id)
                _ = try await remove(places, needed, of: container, cutoff, &mark, &report)
            }
        }
    }

    /// Returns the chunks of a manifest; none if it cannot be read: they are collected as those of an upload that was given up.
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

    /// Removes those of the chunks that nothing needs.
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

    /// Records what entries and links that came since the mark need.
    private func catchUp(
        _ container: LogStore.StoredContainer, _ needed: NeededChunks, _ mark: inout CollectionMark
    ) async throws {
        guard let now = try await chunks.mark(of: container.id) else { throw CancellationError() }
        var contents = Set(try await links.contents(heldIn: container.id, at: chunks.now()))
        var position = LogSequence(mark.sequence)
        while position.value < now.sequence {
            let page = try await logs.entries(of: container.id, from: position)
            for entry in page.entries {
                // An entry that is not a batch needs nothing.
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
