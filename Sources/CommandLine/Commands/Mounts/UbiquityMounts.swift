import Basics
import DaemonProtocol
import Glibc

/// The `fuse.ubiquity` mounts visible to this process, from `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
package struct UbiquityMounts: Sendable {
    /// The type of the daemon's file systems: `fuse.` and the subtype.
    static let fileSystemType = "fuse.ubiquity"

    /// A mount point of a Ubiquity file system, or of a folder in one (`mount --bind`).
    package struct Entry: Hashable, Sendable {
        /// The absolute path of the mount point.
        package let mountPoint: [UInt8]
        /// The file system's folder mounted here; "/" for the whole file system.
        package let root: [UInt8]
        /// The kernel's device number of the file system, the same for all of its mount points.
        package let device: [UInt8]
        /// Whether a foreign file system is mounted over it, so the path leads there.
        package var isCovered = false
    }

    /// A user's mounts, including those covered by later mounts.
    package let entries: [Entry]

    package var mountPoints: [[UInt8]] { entries.map(\.mountPoint) }

    private init(entries: [Entry]) { self.entries = entries }

    package init(mountPoints: [[UInt8]]) {
        entries = mountPoints.map { Entry(mountPoint: $0, root: [UInt8(ascii: "/")], device: $0) }
    }

    /// Parses a mountinfo file; skips lines in other forms, and mounts of other users.
    package init(parsing text: [UInt8], userID: UInt32) {
        var entries: [Entry] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if let entry = Self.entry(ofLine: line, userID) {
                entries.append(entry)
            } else if !entries.isEmpty, let covering = Self.mountPoint(ofLine: line) {
                // Later mounts at the same place are above.
                for index in entries.indices where entries[index].mountPoint == covering {
                    entries[index].isCovered = true
                }
            }
        }
        self.entries = entries
    }

    private static func mountPoint(ofLine line: ArraySlice<UInt8>) -> [UInt8]? {
        let fields = line.split(separator: UInt8(ascii: " "))
        return fields.count > 4 ? unescaped(fields[4]) : nil
    }

    /// Parses a line such as `36 35 98:0 /root /mount/point rw,noatime master:1 - fuse.ubiquity source rw,user_id=1000`, with any number of
    /// tags before the dash.
    private static func entry(ofLine line: ArraySlice<UInt8>, _ userID: UInt32) -> Entry? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard let dash = fields.firstIndex(of: [UInt8(ascii: "-")]), dash >= 6, fields.count > dash + 3,
            fields[dash + 1].elementsEqual(fileSystemType.utf8)
        else { return nil }
        let options = fields[dash + 3].split(separator: UInt8(ascii: ","))
        guard options.contains(where: { $0.elementsEqual("user_id=\(userID)".utf8) }) else { return nil }
        return Entry(mountPoint: unescaped(fields[4]), root: unescaped(fields[3]), device: Array(fields[2]))
    }

    /// Returns the mount point of the whole file system also mounted, wholly or in part, at `mountPoint`, and the
    /// folder visible there. Returns nil for a file system mounted only once.
    package func original(ofView mountPoint: [UInt8], among wholes: [[UInt8]]) -> (
        mountPoint: [UInt8], folder: [UInt8]
    )? {
        // The last entry is the visible one.
        guard let view = entries.last(where: { $0.mountPoint == mountPoint }) else { return nil }
        let slash = [UInt8(ascii: "/")]
        let whole = entries.first {
            $0.device == view.device && $0.root == slash && $0.mountPoint != mountPoint
                && wholes.contains($0.mountPoint)
        }
        return whole.map { ($0.mountPoint, view.root == slash ? [] : view.root) }
    }

    /// Decodes a field that encodes space, tab, newline and backslash as three octal digits after a backslash.
    package static func unescaped(_ field: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(field)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                result.append(value)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    static func current() throws(Errno) -> UbiquityMounts {
        let descriptor = try check("open") { open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try check("read") { read(descriptor, &buffer, buffer.count) }
            if count == 0 { return UbiquityMounts(parsing: text, userID: geteuid()).seen(from: .current) }
            text += buffer[..<count]
        }
    }

    /// Returns the mounts within the scope of this program.
    private func seen(from paths: StandardPaths) -> UbiquityMounts {
        UbiquityMounts(entries: entries.filter { paths.isInScope(String(decoding: $0.mountPoint, as: UTF8.self)) })
    }

    /// Whether the visible file system at that path is foreign.
    package func isCovered(_ mountPoint: String) -> Bool {
        entries.last { $0.mountPoint == Array(mountPoint.utf8) }?.isCovered ?? false
    }

    package func contains(_ mountPoint: String) -> Bool { mountPoints.contains(Array(mountPoint.utf8)) }
}
