import CloudProtocol
import NIOPosix

/// Looks at the files or objects of chunks, several at a time.
struct ChunkInspection: Sendable {
    let chunks: ChunkStore
    /// Whether to read the bytes.
    let reads: Bool
    /// Bounds the memory to that many frames, each of 16 MiB at most.
    private static let simultaneous = 8

    struct States: Sendable {
        var readBytes: UInt64 = 0
        /// Chunks that differ from their rows.
        var damaged: [ChunkPlace: StorageReport.Finding.Kind] = [:]
    }

    func states(of places: [ChunkPlace]) async throws -> States {
        try await withThrowingTaskGroup(of: (ChunkPlace, StorageReport.Finding.Kind?).self) { group in
            var states = States()
            var rest = places[...]
            for place in rest.prefix(Self.simultaneous) { group.addTask { (place, try await problem(of: place)) } }
            rest = rest.dropFirst(Self.simultaneous)
            while let (place, problem) = try await group.next() {
                states.damaged[place] = problem
                if reads, problem == nil { states.readBytes += UInt64(place.size) }
                if let next = rest.popFirst() { group.addTask { (next, try await self.problem(of: next)) } }
            }
            return states
        }
    }

    private func problem(of place: ChunkPlace) async throws -> StorageReport.Finding.Kind? {
        guard reads else { return try await chunks.objects.exists(place) ? nil : .lostChunk }
        do {
            guard let frame = try await chunks.read(place, 0..<place.size) else { return .lostChunk }
            let part = ChunkBatch.Part(id: place.id, frame: frame)
            let isRight = try await NIOThreadPool.singleton.runIfActive { ChunkVerifier.isRight(part) }
            return isRight ? nil : .damagedChunk
        } catch let error as StorageError where error.code == .damaged { return .lostChunk }
    }
}
