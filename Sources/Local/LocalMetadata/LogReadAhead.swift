/// Decides which part of the write-ahead log is read before it is overwritten. Pure.
///
/// A frame has 4,120 bytes (sqlite.org/fileformat2.html#walformat), so each write begins and ends inside a block. When
/// the log is written from its start again after the kernel has dropped its blocks from the cache, as after a boot or
/// for want of memory, each such write would wait until the disk has read the block.
struct LogReadAhead {
    /// The number of bytes to read ahead of the log's end.
    static let window = 1 << 20

    private var last = 0
    private var end = 0

    /// Returns the part to read now that the log ends at `offset`; nil if enough was read.
    mutating func ends(at offset: Int) -> Range<Int>? {
        // The log was started again.
        if offset < last { end = 0 }
        last = offset
        guard offset + Self.window / 2 >= end else { return nil }
        let begin = max(offset, end)
        end = offset + Self.window
        return begin..<end
    }
}
