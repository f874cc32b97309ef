/// A content's chunks on this device: one bit each.
package struct PresenceBitmap: Hashable, Sendable {
    package let count: Int
    package private(set) var presentCount = 0
    private var words: [UInt64]

    /// Creates a bitmap without any chunks.
    package init(count: Int) {
        self.count = count
        words = [UInt64](repeating: 0, count: (count + 63) / 64)
    }

    /// Decodes ``bytes``; nil if they are not a bitmap of `count` chunks.
    package init?(bytes: [UInt8], count: Int) {
        self.init(count: count)
        guard bytes.count == (count + 7) / 8 else { return nil }
        for (index, byte) in bytes.enumerated() { words[index / 8] |= UInt64(byte) << (index % 8 * 8) }
        if count % 64 != 0, let last = words.last, last >> (count % 64) != 0 { return nil }
        presentCount = words.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The encoded bitmap: chunk `i` is bit `i % 8` of byte `i / 8`.
    package var bytes: [UInt8] {
        (0..<(count + 7) / 8).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> ($0 % 8 * 8)) }
    }

    package var isFull: Bool { presentCount == count }

    package subscript(index: Int) -> Bool { words[index / 64] & (1 << (index % 64)) != 0 }

    /// Marks a chunk as local. Returns false if it was already.
    @discardableResult
    package mutating func insert(_ index: Int) -> Bool {
        guard !self[index] else { return false }
        words[index / 64] |= 1 << (index % 64)
        presentCount += 1
        return true
    }

    /// Returns the first absent chunk of the range.
    package func firstAbsent(in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            let absent = ~words[index / 64] >> (index % 64)
            // Bits shifted in from above are zero, so a found bit lies inside the word.
            if absent != 0 {
                let found = index + absent.trailingZeroBitCount
                return found < range.upperBound ? found : nil
            }
            index = (index / 64 + 1) * 64
        }
        return nil
    }

    package func absentCount(in range: Range<Int>) -> Int {
        var absent = 0
        var index = range.lowerBound
        while index < range.upperBound {
            let end = min(range.upperBound, (index / 64 + 1) * 64)
            let mask = (UInt64.max >> UInt64(64 - (end - index))) << UInt64(index % 64)
            absent += (~words[index / 64] & mask).nonzeroBitCount
            index = end
        }
        return absent
    }
}
