/// The chunks to make durable with this instance's next append. Pure.
///
/// A chunk found by ``CloudBackend/missing(_:in:)`` counts as put: a concurrent process may just have put it without
/// syncing it.
struct UnsyncedChunks: Equatable, Sendable {
    /// Up to this many are synced one by one, more by a single sync of their file system.
    static let oneByOne = 16
    /// When this many chunks wait they are synced without waiting for an append, to bound the memory.
    static let limit = 4096

    private(set) var waiting: Set<ChunkPlace> = []
    /// Chunks whose sync failed. The page cache may still show them complete, so they count as missing, and no append
    /// may refer to them until they are put again or the caller starts again.
    private(set) var lost: Set<ChunkPlace> = []
    /// Chunks lost before the caller started again: missing, but they do not block an append.
    private(set) var doubtful: Set<ChunkPlace> = []
    /// Chunks with corrupt bytes according to a reader, by their places of epoch 0: the affected key is unknown.
    private(set) var corrupt: Set<ChunkPlace> = []

    var isFull: Bool { waiting.count >= Self.limit }

    func isTrusted(_ place: ChunkPlace) -> Bool {
        !lost.contains(place) && !doubtful.contains(place) && !isCorrupt(place)
    }

    /// Whether a copy of this chunk, under any key, is corrupt.
    func isCorrupt(_ place: ChunkPlace) -> Bool { corrupt.contains(place.base) }

    mutating func wrote(_ place: ChunkPlace) {
        waiting.insert(place)
        lost.remove(place)
        doubtful.remove(place)
        corrupt.remove(place.base)
    }

    /// Records a chunk removed by the caller on purpose: no append has to make it durable.
    mutating func removed(_ place: ChunkPlace) {
        waiting.remove(place)
        lost.remove(place)
        doubtful.remove(place)
    }

    /// Records an existing chunk.
    mutating func found(_ place: ChunkPlace) { waiting.insert(place) }

    mutating func take() -> Set<ChunkPlace> {
        defer { waiting = [] }
        return waiting
    }

    mutating func giveBack(_ places: Set<ChunkPlace>) { waiting.formUnion(places) }

    mutating func lose(_ places: Set<ChunkPlace>) { lost.formUnion(places) }

    /// Records a corrupt copy of this chunk. Until the chunk is put again, none of its keys is trusted.
    mutating func distrust(_ place: ChunkPlace) {
        corrupt.insert(place.base)
        waiting = waiting.filter { $0.base != place.base }
    }

    mutating func startAgain() {
        doubtful.formUnion(lost)
        lost = []
    }
}
