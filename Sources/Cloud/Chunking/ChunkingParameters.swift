/// The chunk lengths of FastCDC. Equal bytes produce equal chunks on every device, so a parameter set never changes
/// once in use: new numbers are a new version, whose only cost is that old and new files share no chunks.
package struct ChunkingParameters: Hashable, Sendable {
    /// The least length in bytes of any chunk except a content's last.
    package let minimum: Int
    /// Cuts are four times rarer than normal before this length and four times likelier after it. A power of two, in bytes.
    package let average: Int
    /// The greatest length of a chunk, in bytes.
    package let maximum: Int

    /// 64 KiB, 256 KiB, 1 MiB: most documents are one chunk, and a changed byte in a large file costs about 256 KiB.
    package static let version1 = ChunkingParameters(minimum: 64 << 10, average: 256 << 10, maximum: 1 << 20)

    /// - Precondition: `0 < minimum < average < maximum`, `average` a power of two of at least 64.
    package init(minimum: Int, average: Int, maximum: Int) {
        precondition(minimum > 0 && minimum < average && average < maximum, "chunk lengths out of order")
        precondition(average >= 64 && average & (average - 1) == 0, "the average is not a power of two")
        self.minimum = minimum
        self.average = average
        self.maximum = maximum
    }

    /// The hash bits that must be zero at a cut before the average: two more than for chunks of that average.
    var strictMask: UInt64 { Self.topBits(average.trailingZeroBitCount + 2) }
    /// The same after the average: two fewer (FastCDC's normalized chunking, level 2).
    var looseMask: UInt64 { Self.topBits(average.trailingZeroBitCount - 2) }

    // The top bits of a gear hash depend on the last 64 bytes, the low bits on fewer.
    private static func topBits(_ count: Int) -> UInt64 { ~0 << UInt64(64 - count) }
}
