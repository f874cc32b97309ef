import Foundation
import Glibc

/// The database's file of newest commits (sqlite.org/fileformat2.html, section 4), examined before SQLite opens it.
///
/// SQLite uses the frames up to the first wrong checksum, which is right after a power failure: unsynced data is torn.
/// If a whole commit of the same log follows, a byte was flipped instead, and SQLite silently drops the frames behind
/// it. Frames without a commit are left from a rolled-back transaction: the next one overwrites them, and may be
/// shorter.
struct WriteAheadLog {
    private let bytes: Data
    private let pageSize: Int
    private let isBigEndian: Bool

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Returns whether a non-empty log exists.
    static func isPresent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > headerSize
    }

    /// Returns whether once complete commits are lost. Returns false if there is no log, or only its end is torn.
    static func isDamaged(_ path: String) -> Bool {
        // Foundation leaks its buffer if a file is empty.
        guard isPresent(path) else { return false }
        // SQLite reports an unreadable log.
        guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe), bytes.count > headerSize
        else { return false }
        guard let log = WriteAheadLog(bytes) else { return hasFramesBehindABadHeader(bytes) }
        return log.hasFramesBehindABadOne
    }

    /// Returns whether a complete frame follows a bad header: behind an incompletely written header no frame is complete.
    private static func hasFramesBehindABadHeader(_ bytes: Data) -> Bool {
        let usualPageSize = 4096
        return [true, false].contains { isBigEndian in
            let log = WriteAheadLog(bytes: bytes, pageSize: usualPageSize, isBigEndian: isBigEndian)
            return log.frameCount > 1
                && log.checksum(of: 1, after: log.storedChecksum(of: 0)) == log.storedChecksum(of: 1)
                && log.storedChecksum(of: 1) != Checksum()
        }
    }

    private init(bytes: Data, pageSize: Int, isBigEndian: Bool) {
        self.bytes = bytes
        self.pageSize = pageSize
        self.isBigEndian = isBigEndian
    }

    /// Creates the reader; nil if SQLite did not write the header.
    init?(_ bytes: Data) {
        self.bytes = bytes
        guard bytes.count > Self.headerSize else { return nil }
        let magic = Self.word(bytes, 0)
        guard magic & ~1 == 0x377F_0682, Self.word(bytes, 4) == 3_007_000 else { return nil }
        isBigEndian = magic & 1 == 1
        pageSize = Int(Self.word(bytes, 8))
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0,
            Checksum().adding(bytes, 0..<24, isBigEndian) == Checksum(bytes, at: 24)
        else { return nil }
    }

    private var frameCount: Int { (bytes.count - Self.headerSize) / frameSize }
    private var frameSize: Int { Self.frameHeaderSize + pageSize }

    private var hasFramesBehindABadOne: Bool {
        var sum = Checksum(bytes, at: 24)
        for index in 0..<frameCount {
            let (computed, stored) = (checksum(of: index, after: sum), storedChecksum(of: index))
            if isOurs(index), computed == stored {
                sum = stored
                continue
            }
            // Older frames, from before the log was reset, have different salts.
            let next = index + 1
            guard next < frameCount, isOurs(next) else { return false }
            return [computed, stored].contains { hasCommit(from: next, after: $0) }
        }
        return false
    }

    /// Returns whether the intact frames from `first` on end a transaction.
    private func hasCommit(from first: Int, after sum: Checksum) -> Bool {
        var sum = sum
        for index in first..<frameCount {
            guard isOurs(index), checksum(of: index, after: sum) == storedChecksum(of: index) else { return false }
            if endsTransaction(index) { return true }
            sum = storedChecksum(of: index)
        }
        return false
    }

    /// Returns whether a frame is the last of a commit, which contains the database's length after it.
    private func endsTransaction(_ index: Int) -> Bool { Self.word(bytes, start(of: index) + 4) != 0 }

    private func start(of index: Int) -> Int { Self.headerSize + index * frameSize }

    /// Returns whether the frame belongs to this log: it has the salts of the header.
    private func isOurs(_ index: Int) -> Bool {
        let frame = start(of: index)
        return Self.word(bytes, frame + 8) == Self.word(bytes, 16)
            && Self.word(bytes, frame + 12) == Self.word(bytes, 20)
    }

    private func storedChecksum(of index: Int) -> Checksum { Checksum(bytes, at: start(of: index) + 16) }

    private func checksum(of index: Int, after sum: Checksum) -> Checksum {
        let frame = start(of: index)
        return sum.adding(bytes, frame..<frame + 8, isBigEndian)
            .adding(bytes, frame + Self.frameHeaderSize..<frame + frameSize, isBigEndian)
    }

    private static func word(_ bytes: Data, _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    private struct Checksum: Equatable {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init() {}

        init(_ bytes: Data, at offset: Int) {
            first = WriteAheadLog.word(bytes, offset)
            second = WriteAheadLog.word(bytes, offset + 4)
        }

        /// Returns the checksum over pairs of words (section 4.2); the range is a multiple of eight bytes.
        func adding(_ bytes: Data, _ range: Range<Int>, _ isBigEndian: Bool) -> Checksum {
            var sum = self
            bytes.withUnsafeBytes { buffer in
                for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                    let words = buffer.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt32>.self)
                    sum.first &+= (isBigEndian ? words.x.bigEndian : words.x.littleEndian) &+ sum.second
                    sum.second &+= (isBigEndian ? words.y.bigEndian : words.y.littleEndian) &+ sum.first
                }
            }
            return sum
        }
    }
}
