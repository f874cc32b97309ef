import Chunking
import CloudProtocol
import NIOPosix

/// Copies the bytes of chunks from one server to another, and checks them on the way.
struct ChunkTransfer: Sendable {
    let source: any ChunkObjects
    let target: any ChunkObjects
    /// The epoch for names at the target; nil if names there have none.
    let epoch: Int64?

    /// The most bytes of frames in memory, unless a single frame has more.
    private static let batchBytes = 16 << 20
    private static let simultaneous = 8

    struct Outcome: Sendable {
        /// The places of the chunks at the target.
        var places: [ChunkPlace] = []
        var copied = 0
        var copiedBytes: UInt64 = 0
        /// Chunks missing or corrupt at the source.
        var lost: [ChunkPlace] = []
    }

    /// Copies chunks. On return they are durable. An existing file at the target stays; an object gets a new name.
    func copy(_ places: [ChunkPlace]) async throws -> Outcome {
        var outcome = Outcome()
        let (present, absent) = try await split(places)
        outcome.places = present.map(targetPlace)
        var rest = absent[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            var bytes = 0
            let fitting = rest.prefix {
                bytes += $0.size
                return bytes <= Self.batchBytes
            }.count
            let batch = rest.prefix(max(1, fitting))
            rest = rest.dropFirst(batch.count)
            let frames = try await Self.concurrently(Array(batch)) { try await read($0) }
            let found = zip(batch, frames).compactMap { place, frame in
                frame.map { (place: targetPlace(of: place), frame: $0) }
            }
            outcome.lost += zip(batch, frames).filter { $0.1 == nil }.map(\.0)
            guard !found.isEmpty else { continue }
            try await target.write(found)
            outcome.places += found.map(\.place)
            outcome.copied += found.count
            outcome.copiedBytes += found.reduce(0) { $0 + UInt64($1.frame.count) }
        }
        return outcome
    }

    /// Returns the target's chunks that are missing or have a different size.
    static func absent(_ places: [ChunkPlace], from objects: any ChunkObjects) async throws -> [ChunkPlace] {
        let isThere = try await concurrently(places) { try await objects.exists($0) }
        return zip(places, isThere).filter { !$0.1 }.map(\.0)
    }

    private func targetPlace(of place: ChunkPlace) -> ChunkPlace {
        let suffix = epoch.map { ObjectSuffix(epoch: $0, random: .random(in: 0...(.max))) }
        return ChunkPlace(container: place.container, id: place.id, size: place.size, suffix: suffix)
    }

    /// Separates the chunks with existing files at the target from those to be copied.
    private func split(_ places: [ChunkPlace]) async throws -> (present: [ChunkPlace], absent: [ChunkPlace]) {
        guard epoch == nil else { return ([], places) }
        let isThere = try await Self.concurrently(places) { try await target.exists(targetPlace(of: $0)) }
        let pairs = zip(places, isThere)
        return (pairs.filter(\.1).map(\.0), pairs.filter { !$0.1 }.map(\.0))
    }

    /// - Returns: The frame; nil if it is lost, or does not match its name.
    private func read(_ place: ChunkPlace) async throws -> [UInt8]? {
        do {
            guard let frame = try await source.read(place, 0..<place.size) else { return nil }
            let part = ChunkBatch.Part(id: place.id, frame: frame)
            return try await NIOThreadPool.singleton.runIfActive { ChunkVerifier.isRight(part) } ? frame : nil
        } catch let error as StorageError where error.code == .damaged { return nil }
    }

    /// Returns the results in the order of `items`, computed several at a time.
    private static func concurrently<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var results: [Result?] = Array(repeating: nil, count: items.count)
            var next = min(simultaneous, items.count)
            for index in 0..<next { group.addTask { (index, try await body(items[index])) } }
            while let (index, result) = try await group.next() {
                results[index] = result
                guard next < items.count else { continue }
                group.addTask { [next] in (next, try await body(items[next])) }
                next += 1
            }
            return results.compactMap(\.self)
        }
    }
}
