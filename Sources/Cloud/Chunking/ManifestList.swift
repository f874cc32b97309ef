import CloudModel

/// An encoded manifest, checked once and read in parts: besides its bytes it keeps a mark for every ``stride`` chunks,
/// so that reading a range decodes a few thousand chunks and not millions.
package struct ManifestList: Sendable {
    /// The number of chunks in a part.
    package static let stride = 4_096

    /// Consecutive chunks of a content.
    package struct Part: Sendable {
        /// The content offset of the first chunk, in bytes.
        package let offset: UInt64
        package let chunks: [ChunkEntry]
    }

    private struct Mark {
        let position: Int
        let offset: UInt64
    }

    private let bytes: [UInt8]
    private let marks: [Mark]
    /// The size of the content in bytes.
    package let size: UInt64

    /// Checks the whole manifest by the rules of ``Manifest``. Any bytes either pass or throw.
    /// - Throws: `truncated` or `damaged` for bytes that are not a manifest, `tooNew` for a manifest of a newer
    ///   version.
    package init(checking bytes: [UInt8]) throws(ChunkError) {
        let header = try Manifest.header(of: bytes)
        var marks: [Mark] = []
        marks.reserveCapacity(header.count / Self.stride + 1)
        var cursor = ChunkCursor(position: header.position)
        var rest = header.size
        for number in 0..<header.count {
            if number % Self.stride == 0 { marks.append(Mark(position: cursor.position, offset: header.size - rest)) }
            let length = try cursor.skip(in: bytes)
            guard length > 0, length <= min(rest, UInt64(ChunkFrame.maximumChunkLength)) else {
                throw ChunkError(.damaged, "A manifest lists a chunk of \(length) bytes where only \(rest) are left.")
            }
            rest -= length
        }
        guard rest == 0 else {
            throw ChunkError(.damaged, "The chunks of a manifest are \(rest) bytes shorter than its size.")
        }
        guard cursor.position == bytes.count else {
            throw ChunkError(.damaged, "A manifest is followed by \(bytes.count - cursor.position) extra bytes.")
        }
        self.bytes = bytes
        self.marks = marks
        size = header.size
    }

    /// The number of parts.
    package var partCount: Int { marks.count }

    /// The approximate memory use of the list, in bytes.
    package var memory: Int { bytes.count + marks.count * MemoryLayout<Mark>.stride }

    /// Returns the number of the part holding the byte at `position`, which lies inside the content.
    package func part(holding position: UInt64) -> Int {
        var low = 0
        var high = marks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].offset <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// - Precondition: `number` is one of `0..<partCount`.
    package func part(_ number: Int) -> Part {
        let mark = marks[number]
        let end = number + 1 < marks.count ? marks[number + 1].position : bytes.count
        var cursor = ChunkCursor(position: mark.position)
        var chunks: [ChunkEntry] = []
        chunks.reserveCapacity(Self.stride)
        // The bytes were checked by the initializer, so no chunk is omitted.
        while cursor.position < end, let chunk = cursor.next(in: bytes) { chunks.append(chunk) }
        return Part(offset: mark.offset, chunks: chunks)
    }
}

/// Iterates over the chunks of an encoded manifest: 32 bytes of name and a length each.
private struct ChunkCursor {
    private static let nameLength = 32
    var position: Int

    /// Skips a chunk and returns its length.
    mutating func skip(in bytes: [UInt8]) throws(ChunkError) -> UInt64 {
        guard bytes.count - position > Self.nameLength else { throw Self.truncated }
        position += Self.nameLength
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard shift < 63 || (shift == 63 && byte <= 1) else {
                throw ChunkError(.damaged, "A manifest has a length of more than 64 bits.")
            }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Self.truncated
    }

    mutating func next(in bytes: [UInt8]) -> ChunkEntry? {
        let start = position
        guard let length = try? skip(in: bytes), let known = Int(exactly: length) else { return nil }
        let words = (0..<4).map { word in
            (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[start + word * 8 + $1]) }
        }
        return ChunkEntry(id: Digest(words: (words[0], words[1], words[2], words[3])), length: known)
    }

    private static var truncated: ChunkError { ChunkError(.truncated, "A manifest is truncated.") }
}
