package import CloudModel

/// The chunks that contents need: a set of the first 64 bits of their ids, which takes 8 bytes for each. Another chunk with the same
/// bits counts as needed too, so a mistake keeps garbage and never loses a chunk.
package struct NeededChunks: Sendable {
    private var sorted: [UInt64] = []
    private var added: [UInt64] = []
    /// Ids that were not sorted in yet are scanned, so there are few of them when the set is queried.
    private static let batch = 1 << 16

    package init() {}

    package mutating func insert(_ id: ChunkID) {
        added.append(id.words.0)
        if added.count >= max(Self.batch, sorted.count) { seal() }
    }

    /// Sorts the ids. ``contains(_:)`` is exact for what was inserted before.
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
