import Basics
import Glibc

/// The inotify(7) watches of all processes readable by this one, from /proc/PID/fdinfo, `proc_pid_fdinfo(5)`.
enum InotifyWatches {
    /// Larger files are read up to this length, about 80,000 watches.
    private static let maximumLength = 8 << 20

    /// Returns the watched inode numbers of a file system. Processes that end meanwhile are skipped.
    static func nodes(on device: DeviceNumber) -> Set<UInt64> {
        var result: Set<UInt64> = []
        for process in names(in: "/proc") where process.allSatisfy(\.isNumber) {
            for file in names(in: "/proc/\(process)/fd") where isInotify("/proc/\(process)/fd/\(file)") {
                guard let text = contents(of: "/proc/\(process)/fdinfo/\(file)") else { continue }
                result.formUnion(nodes(on: device, parsing: text))
            }
        }
        return result
    }

    /// Parses lines such as `inotify wd:1 ino:1f4 sdev:2e mask:fce ignored_mask:0 fhandle-bytes:8 …`; numbers are
    /// hexadecimal. Other lines are skipped.
    static func nodes(on device: DeviceNumber, parsing text: [UInt8]) -> [UInt64] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.first.map({ Array($0) }) == Array("inotify".utf8),
                value("sdev:", of: fields) == device.kernelValue
            else { return nil }
            return value("ino:", of: fields)
        }
    }

    private static func value(_ key: String, of fields: [ArraySlice<UInt8>]) -> UInt64? {
        guard let field = fields.first(where: { $0.starts(with: key.utf8) }) else { return nil }
        return UInt64(String(decoding: field.dropFirst(key.utf8.count), as: UTF8.self), radix: 16)
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var result: [String] = []
        while let entry = readdir(stream) {
            let name = entry.name
            if !name.hasPrefix(".") { result.append(name) }
        }
        return result
    }

    private static func isInotify(_ link: String) -> Bool {
        let expected = Array("anon_inode:inotify".utf8)
        var target = [UInt8](repeating: 0, count: expected.count + 1)
        let size = target.count
        let length = target.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink(link, $0, size) } ?? -1
        }
        return length == expected.count && target.dropLast() == expected[...]
    }

    private static func contents(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while content.count < maximumLength {
            let count = read(file, &block, block.count)
            guard count > 0 else { break }
            content.append(contentsOf: block[..<count])
        }
        return content
    }
}
