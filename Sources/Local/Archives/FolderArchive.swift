package import Foundation
import Glibc

/// Writes a folder with all its contents as a zip file, in its current state. Nothing is compressed: an upload
/// compresses, and a copy is fast. The format is PKWARE's APPNOTE without its 64-bit extension, so each file and the
/// whole archive have less than 4 GiB.
package struct FolderArchive {
    private static let limit = Int(UInt32.max) - 1
    private static let piece = 1 << 20

    private let output: FileHandle
    private var directory = Data()
    private var count = 0
    private var offset = 0

    /// - Parameter output: An empty file, open for writing. The caller closes it.
    /// - Throws: `CocoaError`: `fileWriteOutOfSpace` if the format's limits are exceeded, and others for unreadable or
    ///   unwritable files.
    package static func write(_ folder: URL, to output: FileHandle) throws {
        var archive = FolderArchive(output: output)
        try archive.add(folder, as: folder.lastPathComponent)
        try archive.end()
    }

    private init(output: FileHandle) { self.output = output }

    private mutating func add(_ url: URL, as name: String) throws {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            try enter("\(name)/", status, Contents(data: Data()))
            for child in try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() {
                try add(url.appending(path: child), as: "\(name)/\(child)")
            }
        case S_IFLNK:
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: url.path)
            try enter(name, status, Contents(data: Data(target.utf8)))
        case S_IFREG: try enter(name, status, Contents(of: url))
        // Pipes and sockets have no content to archive.
        default: break
        }
    }

    /// An entry's bytes, read twice because the format stores their checksum before them.
    private struct Contents {
        let pieces: (_ body: (Data) throws -> Void) throws -> Void
        private(set) var size = 0
        private(set) var checksum = CRC32()

        init(data: Data) throws { try self.init { try $0(data) } }

        init(of url: URL) throws {
            try self.init { body in
                let file = try FileHandle(forReadingFrom: url)
                defer { try? file.close() }  // Only read: nothing is lost.
                while let data = try file.read(upToCount: FolderArchive.piece), !data.isEmpty { try body(data) }
            }
        }

        private init(_ pieces: @escaping (_ body: (Data) throws -> Void) throws -> Void) throws {
            self.pieces = pieces
            var (size, checksum) = (0, CRC32())
            try pieces { data in
                size += data.count
                checksum.add(data)
            }
            (self.size, self.checksum) = (size, checksum)
        }
    }

    private mutating func enter(_ name: String, _ status: stat, _ contents: Contents) throws {
        let bytes = Data(name.utf8)
        guard contents.size < Self.limit, offset + contents.size < Self.limit, bytes.count < 0xFFFF, count < 0xFFFF
        else { throw CocoaError(.fileWriteOutOfSpace) }
        // Version 2.0; names in UTF-8; stored.
        var common = Data()
        for field in [20, 1 << 11, 0] as [UInt16] { common.append(field) }
        let (time, day) = Self.dosTime(status.st_mtim.tv_sec)
        for field in [time, day] { common.append(field) }
        for field in [contents.checksum.value, UInt32(contents.size), UInt32(contents.size)] { common.append(field) }
        for field in [UInt16(bytes.count), 0] { common.append(field) }
        try output.write(contentsOf: Data([0x50, 0x4B, 3, 4]) + common + bytes)
        // Made on Unix: the mode is in the upper half of the attributes. No unpacked program runs with another user's
        // rights.
        let mode = status.st_mode & (S_IFMT | 0o777)
        directory += Data([0x50, 0x4B, 1, 2, 20, 3]) + common
        for field in [0, 0, 0] as [UInt16] { directory.append(field) }
        for field in [UInt32(mode) << 16, UInt32(offset)] { directory.append(field) }
        directory += bytes
        offset += 4 + common.count + bytes.count
        var written = 0
        try contents.pieces { data in
            written += data.count
            try output.write(contentsOf: data)
        }
        // An uncoordinated program wrote to the file in between.
        guard written == contents.size else { throw CocoaError(.fileReadCorruptFile) }
        offset += written
        count += 1
    }

    private mutating func end() throws {
        var end = Data([0x50, 0x4B, 5, 6])
        for field in [0, 0, UInt16(count), UInt16(count)] { end.append(field) }
        for field in [UInt32(directory.count), UInt32(offset)] { end.append(field) }
        end.append(UInt16(0))
        try output.write(contentsOf: directory + end)
    }

    /// Converts a time: the unit is two seconds; years before 1980 become 1980.
    private static func dosTime(_ seconds: Int) -> (time: UInt16, day: UInt16) {
        var (clock, parts) = (time_t(seconds), tm())
        guard localtime_r(&clock, &parts) != nil, (80..<208).contains(parts.tm_year) else { return (0, 0x21) }
        let time = parts.tm_hour << 11 | parts.tm_min << 5 | parts.tm_sec / 2
        let day = (parts.tm_year - 80) << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday
        return (UInt16(time), UInt16(day))
    }
}

extension Data {
    fileprivate mutating func append<T: FixedWidthInteger>(_ number: T) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
