package import CloudModel

/// The chunks needed by contents: a set of the first 64 bits of their ids, at 8 bytes each. A different chunk with the
/// same bits counts as needed too, so a collision keeps garbage and never loses a chunk.
package struct NeededChunkSet: Sendable {
    private var sorted: [UInt64] = []
    private var added: [UInt64] = []
    /// Unsorted ids are scanned, so few of them remain when the set is queried.
    private static let batch = 1 << 16

    package init() {}

    package mutating func insert(_ id: ChunkID) {
        added.append(id.words.0)
        if added.count >= max(Self.batch, sorted.count) { seal() }
    }

    /// Sorts the ids. ``contains(_:)`` is exact for earlier insertions.
    package mutating func seal() {
        added.append(contentsOf: sorted)
        added.sort()
        sorted = []
        sorted.reserveCapacity(added.count)
        for id in added where id != sorted.last { sorted.append(id) }
        added = []
    }

    package func contains(_ id: ChunkID) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < id.words.0 { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == id.words.0 || added.contains(id.words.0)
    }
}
