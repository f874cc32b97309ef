import Basics
import Glibc

/// The names in a folder, in their order.
enum DirectoryNames {
    static func list(_ path: [UInt8]) throws(Errno) -> [[UInt8]] {
        guard let stream = opendir(terminated(path)) else { throw Errno(errno, "opendir") }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = entry.nameBytes
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        guard errno == 0 else { throw Errno(errno, "readdir") }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
