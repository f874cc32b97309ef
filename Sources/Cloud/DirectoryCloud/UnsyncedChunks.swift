/// The chunks that this instance makes durable with its next append. Pure.
///
/// A chunk that ``CloudBackend/missing(_:in:)`` found counts as one that was put: another process may have put it a moment ago
/// and not have synced it.
struct UnsyncedChunks: Equatable, Sendable {
    /// Up to this many are synced one by one, more by syncing their file system once.
    static let oneByOne = 16
    /// So many are synced at once without waiting for an append, which bounds the memory.
    static let limit = 4096

    private(set) var waiting: Set<ChunkPlace> = []
    /// Could not be made durable. The page cache may still show them whole, so they count as missing, and until they are put
    /// again or the caller starts again no append may refer to them.
    private(set) var lost: Set<ChunkPlace> = []
    /// Were lost before the caller started again: missing, but not in the way of an append.
    private(set) var doubtful: Set<ChunkPlace> = []

    var isFull: Bool { waiting.count >= Self.limit }

    func isTrusted(_ place: ChunkPlace) -> Bool { !lost.contains(place) && !doubtful.contains(place) }

    mutating func wrote(_ place: ChunkPlace) {
        waiting.insert(place)
        lost.remove(place)
        doubtful.remove(place)
    }

    /// One that was there already.
    mutating func found(_ place: ChunkPlace) { waiting.insert(place) }

    mutating func take() -> Set<ChunkPlace> {
        defer { waiting = [] }
        return waiting
    }

    mutating func giveBack(_ places: Set<ChunkPlace>) { waiting.formUnion(places) }

    mutating func lose(_ places: Set<ChunkPlace>) { lost.formUnion(places) }

    /// Found to hold other bytes than they should.
    mutating func doubt(_ places: Set<ChunkPlace>) {
        doubtful.formUnion(places)
        waiting.subtract(places)
    }

    mutating func startAgain() {
        doubtful.formUnion(lost)
        lost = []
    }
}
