import Basics
import CloudModel
import ContainerLog
import Foundation
import Logging

@testable import LocalMetadata

extension FuzzTarget {
    /// Whole database files. The first byte selects a real file, of this, an older or a newer format. Every four
    /// following bytes change one byte of it (place in three bytes, value); if the high bit of the first byte is set,
    /// the last four bytes cut the file at their place.
    static let databases = FuzzTarget(name: "database") { bytes in
        guard let kind = bytes.first, bytes.count <= 1 + 4 * 4096 else { return false }
        let images = try DatabaseImages.shared.get()
        let image = patched(images[Int(kind & 0x7F) % images.count], bytes.dropFirst(), cuts: kind >= 0x80)
        return try DatabaseImages.withFile(image) { path in accepted { try use(path) } != nil }
    } seeds: {
        [[0], [1], [2], [0, 0x64, 0, 0, 0xFF], [0x80, 0, 0x20, 0, 0]]
    }

    private static func patched(_ image: [UInt8], _ changes: ArraySlice<UInt8>, cuts: Bool) -> [UInt8] {
        var image = image
        var rest = changes
        while rest.count >= 4 {
            let change = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            let place = (Int(change[0]) | Int(change[1]) << 8 | Int(change[2]) << 16) % image.count
            if cuts, rest.count < 4 { image.removeSubrange(place...) } else { image[place] = change[3] }
            if image.isEmpty { break }
        }
        return image
    }

    /// Runs the queries of a daemon between a start and a stop; an error ends them.
    private static func use(_ path: String) throws {
        let rows = SalvagedRows(path: path)
        for node in 0...40 { if let item = rows.item(NodeID(UInt64(node))) { _ = rows.folders(above: item) } }
        let metadata = try MetadataDatabase(path: path, log: Logger(label: "fuzz"))
        defer { try? metadata.close() }
        _ = try metadata.integrityProblems()
        let readings: [(MetadataTransaction) throws -> Void] = [readLocal, readRemote, readQueues, readRules]
        // Each query runs separately, because the daemon continues after a failed query.
        let failures = readings.map { body in Result { try metadata.read(body) } }
        try metadata.write(fold)
        for failure in failures { try failure.get() }
    }

    private static func readLocal(_ transaction: MetadataTransaction) throws {
        for item in try transaction.local.items(after: NodeID(0), limit: 100) {
            _ = try transaction.local.path(of: item.node)
            _ = try transaction.local.effectivePin(of: item.node)
            _ = try transaction.cloudItem(item)
            _ = try transaction.local.siblings(of: item.item, in: item.container)
            _ = try transaction.synced.item(item.item, in: item.container)
        }
        _ = try transaction.local.totals()
    }

    private static func readRemote(_ transaction: MetadataTransaction) throws {
        for container in try transaction.containers() {
            _ = try transaction.remote(in: container.id).items(after: nil, limit: 100)
            _ = try transaction.pending.batch(of: container.id)
            _ = try transaction.remote(in: container.id).state().sequence
        }
    }

    private static func readQueues(_ transaction: MetadataTransaction) throws {
        _ = try transaction.pending.items(before: Timestamp(nanoseconds: .max), limit: 100)
        _ = try transaction.pending.oldest()
        _ = try transaction.pending.totals()
        _ = try transaction.transfers.presentBytes()
        _ = try (
            transaction.transfers.wanted(limit: 100), transaction.transfers.writing(),
            transaction.transfers.evictable(limit: 100)
        )
    }

    private static func readRules(_ transaction: MetadataTransaction) throws {
        _ = try transaction.rowProblems(limit: 10)
        _ = try transaction.local.strandedItems(limit: 10)
    }

    private static func fold(_ transaction: MetadataTransaction) throws {
        for container in try transaction.containers() {
            var tree = transaction.remote(in: container.id)
            let sequence = try tree.state().sequence
            _ = try ContainerReducer().fold(EntrySamples.third, at: LogPosition(sequence.next, nil), into: &tree)
        }
    }
}
