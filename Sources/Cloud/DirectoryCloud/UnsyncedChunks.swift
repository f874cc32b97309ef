/// The chunks that this instance makes durable with its next append. Pure.
///
/// A chunk that ``CloudBackend/missing(_:in:)`` found counts like one that was put: another process may have put it a moment ago without
/// having synced it.
struct UnsyncedChunks: Equatable, Sendable {
    /// Up to this many are synced one by one, more by syncing their file system once.
    static let oneByOne = 16
    /// When this many chunks wait they are synced without waiting for an append, which bounds the memory.
    static let limit = 4096

    private(set) var waiting: Set<ChunkPlace> = []
    /// Chunks that could not be made durable. The page cache may still show them complete, so they count as missing, and no append may
    /// refer to them until they are put again or the caller starts again.
    private(set) var lost: Set<ChunkPlace> = []
    /// Chunks that were lost before the caller started again: missing, but they do not block an append.
    private(set) var doubtful: Set<ChunkPlace> = []
    /// Chunks that a reader found to hold other bytes than they should, by their places of epoch 0: it is not known under which key.
    private(set) var corrupt: Set<ChunkPlace> = []

    var isFull: Bool { waiting.count >= Self.limit }

    func isTrusted(_ place: ChunkPlace) -> Bool {
        !lost.contains(place) && !doubtful.contains(place) && !isCorrupt(place)
    }

    /// Whether a copy of this chunk, under whichever key, has other bytes than it should.
    func isCorrupt(_ place: ChunkPlace) -> Bool { corrupt.contains(place.base) }

    mutating func wrote(_ place: ChunkPlace) {
        waiting.insert(place)
        lost.remove(place)
        doubtful.remove(place)
        corrupt.remove(place.base)
    }

    /// Records a chunk that the caller removed on purpose: no append has to make it durable.
    mutating func removed(_ place: ChunkPlace) {
        waiting.remove(place)
        lost.remove(place)
        doubtful.remove(place)
    }

    /// Records a chunk that existed already.
    mutating func found(_ place: ChunkPlace) { waiting.insert(place) }

    mutating func take() -> Set<ChunkPlace> {
        defer { waiting = [] }
        return waiting
    }

    mutating func giveBack(_ places: Set<ChunkPlace>) { waiting.formUnion(places) }

    mutating func lose(_ places: Set<ChunkPlace>) { lost.formUnion(places) }

    /// Records that a copy of this chunk holds other bytes than it should. Until the chunk is put again, no key of it is trusted.
    mutating func distrust(_ place: ChunkPlace) {
        corrupt.insert(place.base)
        waiting = waiting.filter { $0.base != place.base }
    }

    mutating func startAgain() {
        doubtful.formUnion(lost)
        lost = []
    }
}
