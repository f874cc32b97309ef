import Basics
import Glibc

/// The requests to a crash disk in order: records of two words each, offset and length, followed by the bytes of a
/// write.
///
/// A position in it is a length of its file. An acknowledgement of durability is recorded with its position:
/// later records must not affect it.
struct CrashLog {
    enum Record {
        /// Log bytes written to a place on the disk.
        case write(place: Int, bytes: Range<Int>)
        /// All writes before it are on stable storage.
        case flush
    }

    static let headerLength = 16
    /// The offset marking a flush.
    static let flushMark = UInt64.max

    let bytes: [UInt8]
    let records: [Record]
    /// The end of each record.
    let ends: [Int]

    /// Parses a whole log; an incomplete record at its end is left out.
    init(bytes: [UInt8]) {
        var (records, ends): ([Record], [Int]) = ([], [])
        var next = 0
        bytes.withUnsafeBytes { memory in
            while next + Self.headerLength <= memory.count {
                let place = memory.loadUnaligned(fromByteOffset: next, as: UInt64.self)
                let length = Int(memory.loadUnaligned(fromByteOffset: next + 8, as: UInt64.self))
                let start = next + Self.headerLength
                guard start + length <= memory.count else { return }
                records.append(
                    place == Self.flushMark ? .flush : .write(place: Int(place), bytes: start..<start + length))
                next = start + length
                ends.append(next)
            }
        }
        (self.bytes, self.records, self.ends) = (bytes, records, ends)
    }

    static func header(place: UInt64, length: Int) -> [UInt8] {
        withUnsafeBytes(of: (place, UInt64(length))) { Array($0) }
    }

    /// Returns the number of records up to and including the last flush among the first `count`; 0 if there is no flush.
    func lastFlush(before count: Int) -> Int {
        var index = count
        while index > 0 {
            if case .flush = records[index - 1] { return index }
            index -= 1
        }
        return 0
    }

    /// Returns the position after the first `count` records.
    func position(after count: Int) -> Int { count == 0 ? 0 : ends[count - 1] }
}
