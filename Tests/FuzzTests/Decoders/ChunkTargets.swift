import Basics
import Chunking
import CloudModel
import CloudStorage

extension FuzzTarget {
    /// Manifests. The first eight bytes are the content's expected size.
    static let manifests = FuzzTarget(name: "manifest") { bytes in
        var reader = ByteReader(bytes)
        guard let size = accepted({ try reader.fixed(UInt64.self) }) else { return false }
        let encoded = Array(bytes.dropFirst(8))
        let list = accepted { try ManifestList(checking: encoded) }
        guard let manifest = accepted({ try Manifest(decoding: encoded, size: size) }) else {
            try Violation.unless(
                list.map { $0.size != size } ?? true, "a server accepts a manifest that devices reject")
            return false
        }
        let parts = list.map { list in (0..<list.partCount).flatMap { list.part($0).chunks } }
        try Violation.unless(parts == manifest.chunks, "a manifest read in parts differs")
        try Violation.unless(manifest.size == size, "a manifest of another size was accepted")
        let again = accepted { try Manifest(decoding: manifest.encoded(), size: size) }
        try Violation.unless(again == manifest, "a manifest that is encoded again differs")
        let ranges = manifest.chunks.indices.map(manifest.range(of:))
        try Violation.unless(ranges.last?.upperBound == size, "a manifest ends before its content")
        for position in [0, size / 2, size - 1] {
            let found = manifest.indices(covering: position..<position + 1)
            try Violation.unless(
                found.count == 1 && ranges[found.lowerBound].contains(position), "byte \(position) is in no chunk")
        }
        return true
    } seeds: {
        [[1, 300], [65_536, 1 << 20, 7], [16 << 20, 16 << 20]].map { lengths in
            let chunks = lengths.enumerated().map { index, length in
                ChunkEntry(id: Digest(words: (UInt64(index), 1, 2, 3)), length: length)
            }
            var writer = ByteWriter()
            writer.append(fixed: UInt64(lengths.reduce(0, +)))
            writer.append(raw: Manifest(chunks).encoded())
            return writer.bytes
        }
    }

    /// Frames of chunks. The first 32 bytes are the chunk's expected name.
    static let chunks = FuzzTarget(name: "chunk") { bytes in
        guard let id = Digest(bytes.prefix(32)) else { return false }
        let frame = Array(bytes.dropFirst(32))
        guard let plain = accepted({ try ChunkFrame.decode(frame, expecting: id, limit: 1 << 20) }) else {
            return false
        }
        try Violation.unless(Digest.of(plain) == id, "bytes with another name were accepted")
        let again = accepted { try ChunkFrame.decode(ChunkFrame.encode(plain), expecting: id) }
        try Violation.unless(again == plain, "a chunk that is framed again differs")
        return true
    } seeds: {
        let noise = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }
        return [[], Array("hello".utf8), [UInt8](repeating: 7, count: 3000), noise].map {
            Digest.of($0).bytes + ChunkFrame.encode($0)
        }
    }

    /// Lists of keys that a collection may remove. The first eight bytes are the collection's epoch.
    static let collectionLists = FuzzTarget(name: "collection-list") { bytes in
        var reader = ByteReader(bytes)
        guard let epoch = accepted({ try reader.fixed(UInt64.self) }) else { return false }
        guard let list = accepted({ try CollectionList(decoding: bytes.dropFirst(8), of: epoch) }) else { return false }
        let again = accepted { try CollectionList(decoding: list.encoded(), of: epoch) }
        try Violation.unless(again == list, "a list that is encoded again differs")
        try Violation.unless(list.keys.allSatisfy { $0.epoch < epoch }, "a collection lists a key of its own epoch")
        try Violation.unless(list.keys.allSatisfy(list.contains), "a list does not contain its own key")
        return true
    } seeds: {
        [[], [(1, 0)], [(1, 0), (1, 300), (2, 5), (9, 0)]].map { (keys: [(UInt64, UInt64)]) in
            var writer = ByteWriter()
            writer.append(fixed: UInt64(301))
            let list = CollectionList(keys.map { ChunkKey(Digest(words: ($0.0, 1, 2, 3)), epoch: $0.1) })
            writer.append(raw: list?.encoded() ?? [])
            return writer.bytes
        }
    }
}
