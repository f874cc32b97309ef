import Basics
import Glibc

/// The mounts that this process sees, from /proc/self/mountinfo, `proc_pid_mountinfo(5)`.
struct MountTable: Equatable {
    /// One line of the table.
    struct Entry: Equatable {
        /// Major and minor number of the mounted file system, as `st_dev` shows them.
        let device: String
        let path: [UInt8]
        let type: String

        var isFuse: Bool { type == "fuse" || type.hasPrefix("fuse.") }
    }

    let entries: [Entry]

    /// Takes the table's text apart; a line that is none is left out, as newer kernels may say more.
    init(parsing text: [UInt8]) {
        entries = text.split(separator: UInt8(ascii: "\n")).compactMap(Self.entry)
    }

    static func current() throws(Errno) -> MountTable {
        MountTable(parsing: try readFile("/proc/self/mountinfo"))
    }

    /// What a path shows: the last mount at it, since a later one covers an earlier.
    func topmost(at path: [UInt8]) -> Entry? { entries.last { $0.path == path } }

    /// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: device is the third field, path the fifth, type
    /// the first behind the lone dash.
    private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count >= 8, let dash = fields.dropFirst(6).firstIndex(of: [UInt8(ascii: "-")]),
            dash + 1 < fields.count
        else { return nil }
        return Entry(
            device: String(decoding: fields[2], as: UTF8.self), path: unescape(fields[4]),
            type: String(decoding: fields[dash + 1], as: UTF8.self))
    }

    /// Space, tab, newline and backslash stand in the table as a backslash and three octal digits.
    static func unescape(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(field.count)
        var rest = field
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let value = octal(rest.prefix(3)) {
                result.append(value)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func octal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}

/// A file of /proc, which has no size to go by.
private func readFile(_ path: String) throws(Errno) -> [UInt8] {
    let file = try check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(file) }
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16 << 10)
    while true {
        let count = try check("read \(path)") { read(file, &block, block.count) }
        if count == 0 { return content }
        content.append(contentsOf: block[..<count])
    }
}
