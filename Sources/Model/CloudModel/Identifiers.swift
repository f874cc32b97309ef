import Basics

/// The identity of an item inside its container; survives renames and moves. 128 random bits, or a well-known value.
package struct ItemID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @Sendable package static func random() -> ItemID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    package static func random(using generator: inout some RandomNumberGenerator) -> ItemID {
        // The top bit keeps random ids apart from the well-known ones.
        ItemID(high: generator.next() | 1 << 63, low: generator.next())
    }

    /// The folder that is the container itself.
    package static let root = ItemID(high: 0, low: 1)
    /// `Documents/`, what a container's user sees as documents.
    package static let documents = ItemID(high: 0, low: 2)

    package var isWellKnown: Bool { high == 0 }

    package static func < (left: ItemID, right: ItemID) -> Bool { (left.high, left.low) < (right.high, right.low) }

    package var description: String { Hex.encode(high) + Hex.encode(low) }

    package init?(_ text: String) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}

/// One installation. 64 random bits, made when its state directory is.
package struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func random(using generator: inout some RandomNumberGenerator) -> DeviceID {
        DeviceID(generator.next() | 1)
    }
    package static func < (left: DeviceID, right: DeviceID) -> Bool { left.value < right.value }
    package var description: String { Hex.encode(value) }
}

/// A position in a container's log. The first entry has 1; 0 means "before everything".
package struct LogSequence: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static let zero = LogSequence(0)
    /// The position behind this one; the last there is has none, and is its own.
    package var next: LogSequence { LogSequence(value == .max ? .max : value + 1) }
    package static func < (left: LogSequence, right: LogSequence) -> Bool { left.value < right.value }
    package var description: String { String(value) }
}

/// A version of an item's content: the log entry that set it and the change inside that entry. Given by the log, so all agree on it.
package struct VersionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let sequence: LogSequence
    package let index: UInt32

    package init(sequence: LogSequence, index: UInt32) {
        self.sequence = sequence
        self.index = index
    }

    package static func < (left: VersionID, right: VersionID) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }

    package var description: String { "\(sequence).\(index)" }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = UInt64(parts[0]), let index = UInt32(parts[1]) else { return nil }
        self.init(sequence: LogSequence(sequence), index: index)
    }
}

/// A SHA-256 digest; names chunks and contents.
package struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Takes four words, first bytes in the high bits of the first.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Takes 32 bytes, first byte first; nil for any other count.
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

/// The name of a chunk: the digest of its plain bytes.
package typealias ChunkID = Digest
