import Basics
import CLinux
import Glibc

/// A call on a path that failed; the path is relative to the cloud's directory.
struct PathError: Error {
    let path: String
    let errno: Basics.Errno

    var code: Int32 { errno.code }
}

/// An open file or directory, closed with its last reference. Paths are relative to it (`openat(2)` and its kin), so all steps
/// of an operation stay in one directory even when another takes over its name meanwhile.
final class Descriptor: Sendable {
    let raw: Int32
    /// For messages.
    let path: String

    init(owning raw: Int32, path: String) {
        self.raw = raw
        self.path = path
    }

    // Errors of close(2) are those of writing back, and whatever must be on the disk was synced before.
    deinit { close(raw) }

    func open(_ name: String, _ flags: Int32, mode: mode_t = 0) throws(PathError) -> Descriptor {
        let result = try at(name, "open") { openat(raw, name, flags | O_CLOEXEC, mode) }
        return Descriptor(owning: result, path: join(name))
    }

    /// Nil when there is no such file.
    func openIfPresent(_ name: String, _ flags: Int32) throws(PathError) -> Descriptor? {
        do { return try open(name, flags) } catch  where error.code == ENOENT { return nil }
    }

    func status() throws(PathError) -> stat {
        var info = stat()
        try at("", "fstat") { fstat(raw, &info) }
        return info
    }

    func statusIfPresent(_ name: String) throws(PathError) -> stat? {
        var info = stat()
        do {
            try at(name, "stat") { fstatat(raw, name, &info, AT_SYMLINK_NOFOLLOW) }
            return info
        } catch  where error.code == ENOENT { return nil }
    }

    func isPresent(_ name: String) throws(PathError) -> Bool { try statusIfPresent(name) != nil }

    /// False when it is there already.
    @discardableResult
    func makeDirectory(_ name: String) throws(PathError) -> Bool {
        do {
            try at(name, "mkdir") { mkdirat(raw, name, CloudLayout.folderMode) }
            return true
        } catch  where error.code == EEXIST { return false }
    }

    /// Gives a file a second name; false when that name is taken. This is what orders the log: of many only one wins.
    func link(_ name: String, to other: String) throws(PathError) -> Bool {
        do {
            try at(other, "link") { linkat(raw, name, raw, other, 0) }
            return true
        } catch  where error.code == EEXIST { return false }
    }

    func rename(_ name: String, to other: String) throws(PathError) {
        try at(other, "rename") { renameat(raw, name, raw, other) }
    }

    func remove(_ name: String, folder: Bool = false) throws(PathError) {
        try at(name, "unlink") { unlinkat(raw, name, folder ? AT_REMOVEDIR : 0) }
    }

    /// `fsync(2)`.
    func sync() throws(PathError) { try at("", "fsync") { fsync(raw) } }

    /// Makes the names in a folder of this directory durable.
    func syncFolder(_ name: String) throws(PathError) {
        do {
            try open(name, O_RDONLY | O_DIRECTORY).sync()
        } catch  where [EINVAL, EROFS].contains(error.code) {
            // Some file systems can not sync a folder (fsync(2): EINVAL), and a read-only one has nothing to sync.
        }
    }

    /// `syncfs(2)`: everything of this file system.
    func syncFileSystem() throws(PathError) { try at("", "syncfs") { syncfs(raw) } }

    /// The names in a folder, without `.` and `..`.
    func names(in name: String) throws(PathError) -> [String] {
        let folder = try at(name, "open") { openat(raw, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(folder) else {
            let code = errno
            close(folder)
            throw PathError(path: join(name), errno: Errno(code, "fdopendir"))
        }
        defer { closedir(stream) }
        var result: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let text = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if text != "." && text != ".." { result.append(text) }
        }
        guard errno == 0 else { throw PathError(path: join(name), errno: Errno(errno, "readdir")) }
        return result
    }

    private func join(_ name: String) -> String { path.isEmpty || name.isEmpty ? path + name : "\(path)/\(name)" }

    @discardableResult
    func at(_ name: String, _ call: String, _ body: () -> Int32) throws(PathError) -> Int32 {
        do { return try check(call, body) } catch { throw PathError(path: join(name), errno: error) }
    }
}
