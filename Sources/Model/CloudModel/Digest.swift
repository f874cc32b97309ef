import Basics

/// A SHA-256 digest, the name of a chunk or a content.
package struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a digest from four words; the first bytes are in the high bits of the first word.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    package static let zero = Digest(words: (0, 0, 0, 0))

    /// Creates a digest from 32 bytes, first byte first; nil for any other count.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        words =
            bytes.withContiguousStorageIfAvailable { Self.words(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes(Self.words)
    }

    private static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        return (word(0), word(1), word(2), word(3))
    }

    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(32)
        for word in [words.0, words.1, words.2, words.3] {
            withUnsafeBytes(of: word.bigEndian) { result.append(contentsOf: $0) }
        }
        return result
    }

    package static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }
    package static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

    package var description: String {
        Hex.encode(words.0) + Hex.encode(words.1) + Hex.encode(words.2) + Hex.encode(words.3)
    }
}
