import Basics
import Glibc

/// The mounts visible to this process, from /proc/self/mountinfo, `proc_pid_mountinfo(5)`.
struct MountTable: Equatable {
    /// A line of the table.
    struct Entry: Equatable {
        /// Major and minor number of the mounted file system, as in `st_dev`.
        let device: String
        let path: [UInt8]
        let type: String

        var isFuse: Bool { type == "fuse" || type.hasPrefix("fuse.") }
    }

    let entries: [Entry]

    /// Parses the table's text. Unparsable lines are skipped, because newer kernels may add new kinds.
    init(parsing text: [UInt8]) {
        entries = text.split(separator: UInt8(ascii: "\n")).compactMap(Self.entry)
    }

    static func current() throws(Errno) -> MountTable {
        MountTable(parsing: try readFile("/proc/self/mountinfo"))
    }

    /// Returns the visible mount at a path: the last one, since a later mount covers an earlier one.
    func topmost(at path: [UInt8]) -> Entry? { entries.last { $0.path == path } }

    /// Parses a line such as `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: the device is the third field, the path the
    /// fifth, the type the first after the lone dash.
    private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count >= 8, let dash = fields.dropFirst(6).firstIndex(of: [UInt8(ascii: "-")]),
            dash + 1 < fields.count
        else { return nil }
        return Entry(
            device: String(decoding: fields[2], as: UTF8.self), path: unescape(fields[4]),
            type: String(decoding: fields[dash + 1], as: UTF8.self))
    }

    /// Decodes a field: the table encodes space, tab, newline and backslash as a backslash and three octal digits.
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

/// Reads a file of /proc, without knowing its size beforehand.
func readFile(_ path: String) throws(Errno) -> [UInt8] {
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
