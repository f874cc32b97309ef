package import Basics
import CloudModel

/// The keys that a garbage collection may remove, sorted and distinct: the content named by its proposal (docs/LOG.md,
/// "Collection").
package struct CollectionList: Hashable, Sendable {
    package static let format: UInt8 = 1
    /// The most keys of one list, to bound the memory of its readers (about 80 MB). A collector with more garbage runs
    /// several collections.
    package static let maximumKeys = 1_000_000

    package let keys: [ChunkKey]

    /// Returns nil for more than ``maximumKeys``.
    package init?(_ keys: some Sequence<ChunkKey>) {
        let sorted = Set(keys).sorted()
        guard sorted.count <= Self.maximumKeys else { return nil }
        self.keys = sorted
    }

    package func contains(_ key: ChunkKey) -> Bool {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key
    }

    // MARK: Bytes

    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 1 + keys.count * 34)
        writer.append(byte: Self.format)
        for key in keys {
            writer.append(raw: key.id.bytes)
            writer.append(varint: key.epoch)
        }
        return writer.bytes
    }

    /// Decodes the list of the collection of that epoch. Any bytes either decode or throw; keys of that epoch or later
    /// are an error, because no collection may remove them.
    package init(decoding bytes: some Collection<UInt8>, of epoch: UInt64) throws(ByteCodingError) {
        var reader = ByteReader(bytes)
        let format = try reader.byte()
        guard format == Self.format else {
            throw .invalid("a list of format \(format), which this program does not know")
        }
        var keys: [ChunkKey] = []
        keys.reserveCapacity(min(reader.remaining / 33, Self.maximumKeys))
        while !reader.isAtEnd {
            guard keys.count < Self.maximumKeys, let id = Digest(try reader.raw(32)) else {
                throw .invalid("a long list")
            }
            let key = ChunkKey(id, epoch: try reader.varint())
            guard key.epoch < epoch else { throw .invalid("a key of epoch \(key.epoch) in the list of \(epoch)") }
            if let last = keys.last, last >= key { throw .invalid("keys out of order") }
            keys.append(key)
        }
        self.keys = keys
    }
}
