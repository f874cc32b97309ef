import CLinux
import Glibc

/// Everything visible below a folder at a given moment, by path. The folder itself has the empty path.
struct Snapshot: Sendable {
    var entries: [Path: Entry] = [:]
    /// Contradictions within the snapshot.
    var complaints: [String] = []

    struct Entry: Sendable {
        var mode: UInt32
        var size: Int
        var links: UInt
        var user: UInt32
        var group: UInt32
        var node: UInt
        var blocks: Int
        var modified: Int
        var changed: Int
        /// A file's bytes or a symlink's target; nil if it cannot be read.
        var content: [UInt8]?
        var attributes: [[UInt8]: [UInt8]] = [:]

        var type: UInt32 { mode & S_IFMT }
        var isFolder: Bool { type == S_IFDIR }
    }

    init(of root: String) {
        var folders: [Path] = []
        add(Path(bytes: []), below: root, &folders)
        while let folder = folders.popLast() {
            for name in names(of: folder, below: root) { add(folder.appending(name), below: root, &folders) }
        }
    }

    private mutating func names(of folder: Path, below root: String) -> [[UInt8]] {
        Self.with(folder, root) { path in
            guard let stream = opendir(path) else { return [] }
            defer { closedir(stream) }
            var names: [[UInt8]] = []
            while let name = FolderScan.next(stream) { names.append(name) }
            return names
        }
    }

    private static func with<R>(_ path: Path, _ root: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
        path.bytes.isEmpty ? body(root) : path.withPointer(below: root, body)
    }

    private mutating func add(_ path: Path, below root: String, _ folders: inout [Path]) {
        let entry = Self.with(path, root) { Entry(at: $0) }
        guard let entry else {
            complaints.append("\(path) is listed, but lstat fails with \(String(cString: strerror(errno)))")
            return
        }
        entries[path] = entry
        if entry.isFolder { folders.append(path) }
    }
}

extension Snapshot.Entry {
    init?(at path: UnsafePointer<CChar>) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        mode = status.st_mode
        size = status.st_size
        links = status.st_nlink
        user = status.st_uid
        group = status.st_gid
        node = status.st_ino
        blocks = status.st_blocks
        modified = Self.comparable(status.st_mtim)
        changed = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
        switch type {
        case S_IFREG: content = Self.bytes(of: path, size: size)
        case S_IFLNK: content = Self.target(of: path)
        default: content = nil
        }
        for name in Side.attributeNames(of: path).names {
            let value = Side.attribute(String(decoding: name, as: UTF8.self), of: path)
            attributes[name] = value.bytes
        }
    }

    /// Returns nanoseconds since 1970, clamped to the start of ext4's range in 1901: file systems clamp earlier times differently.
    static func comparable(_ time: timespec) -> Int {
        max(-(1 << 31) * 1_000_000_000, Int(clamping: Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec)))
    }

    /// Reads one byte more than the size, so that the comparison notices a file longer than its size.
    private static func bytes(of path: UnsafePointer<CChar>, size: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let limit = size + 1
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let got = read(file, buffer.baseAddress.map { $0 + count }, limit - count)
                guard got > 0 else { return }
                count += got
            }
        }
    }

    private static func target(of path: UnsafePointer<CChar>) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    }
}
