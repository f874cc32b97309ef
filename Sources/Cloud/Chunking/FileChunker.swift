package import Basics
import CloudModel
import Glibc

/// The result of a ``FileChunker`` step.
package struct ChunkScan: Sendable {
    package let entries: [ChunkEntry]
    /// The offset of the next step.
    package let nextOffset: UInt64
    /// Whether the content ends at `nextOffset`.
    package let reachedEnd: Bool
}

/// Cuts a file into chunks and names them, step by step. A step starts at any chunk boundary and keeps no state from
/// the previous step, so files of any length take a single buffer, and the scan of a long file can be interrupted and
/// resumed.
package struct FileChunker: Sendable {
    /// Reads at an offset into a buffer. It may return fewer bytes than requested; 0 is the end.
    package typealias Reader = (_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) throws(Errno) -> Int

    private let cutter: FastCDC
    private let bufferSize: Int

    /// Creates a chunker whose buffers hold at least two chunks of the maximum length, so that not every chunk moves
    /// the rest of the buffer.
    package init(_ parameters: ChunkingParameters = .version1, bufferSize: Int = 2 << 20) {
        cutter = FastCDC(parameters)
        self.bufferSize = max(bufferSize, 2 * parameters.maximum)
    }

    /// Returns the chunks from the boundary `offset` on, until they hold at least `budget` bytes or the file ends. Blocks on the disk.
    ///
    /// - Parameter expectedSize: The size of the whole file, so that a small file takes a small buffer. It may be wrong.
    package func scan(
        _ descriptor: Int32, from offset: UInt64, budget: Int, expectedSize: UInt64 = .max
    ) throws(Errno) -> ChunkScan {
        try scan(from: offset, budget: budget, expectedSize: expectedSize) { buffer, position throws(Errno) in
            try check("pread") { pread(descriptor, buffer.baseAddress, buffer.count, off_t(position)) }
        }
    }

    package func scan(
        from offset: UInt64, budget: Int, expectedSize: UInt64 = .max, reader: Reader
    ) throws(Errno) -> ChunkScan {
        // One byte more than expected, so that the final read neither moves nor grows the buffer.
        let rest = expectedSize > offset ? expectedSize - offset : 0
        let capacity = rest < UInt64(bufferSize) ? Int(rest) + 1 : bufferSize
        var window = ReadWindow(capacity: capacity, largest: bufferSize, offset: offset)
        defer { window.deallocate() }
        var entries: [ChunkEntry] = []
        var covered = 0
        while covered < budget {
            try window.fill(atLeast: cutter.parameters.maximum, reader: reader)
            let length = cutter.firstCut(in: window.bytes)
            guard length > 0 else { break }
            entries.append(
                ChunkEntry(id: Digest.of(UnsafeRawBufferPointer(rebasing: window.bytes[..<length])), length: length))
            window.drop(length)
            covered += length
        }
        // Distinguishes an exact end from a spent budget, so that no later step returns no chunks.
        try window.fill(atLeast: 1, reader: reader)
        return ChunkScan(entries: entries, nextOffset: window.offset, reachedEnd: window.bytes.isEmpty)
    }
}

/// A buffer of bytes read ahead from an offset of a file.
private struct ReadWindow {
    /// The file position of the first byte of `bytes`.
    private(set) var offset: UInt64
    private var storage: UnsafeMutableRawBufferPointer
    private let largest: Int
    private var start = 0
    private var end = 0
    private var atEnd = false

    init(capacity: Int, largest: Int, offset: UInt64) {
        storage = .allocate(byteCount: capacity, alignment: 64)
        self.largest = largest
        self.offset = offset
    }

    func deallocate() { storage.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

    mutating func drop(_ count: Int) {
        start += count
        offset += UInt64(count)
    }

    /// Fills the whole buffer unless it has `count` bytes already, because one large read is cheapest.
    mutating func fill(atLeast count: Int, reader: FileChunker.Reader) throws(Errno) {
        guard end - start < count, !atEnd else { return }
        if let base = storage.baseAddress { base.copyMemory(from: base + start, byteCount: end - start) }
        end -= start
        start = 0
        while !atEnd {
            if end == storage.count {
                if end >= count { return }
                grow()
            }
            let got = try reader(UnsafeMutableRawBufferPointer(rebasing: storage[end...]), offset + UInt64(end))
            atEnd = got <= 0
            end += max(0, got)
        }
    }

    /// Grows the buffer for a file longer than expected.
    private mutating func grow() {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: largest, alignment: 64)
        larger.copyMemory(from: UnsafeRawBufferPointer(storage))
        storage.deallocate()
        storage = larger
    }
}
