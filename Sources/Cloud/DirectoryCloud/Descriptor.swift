import Basics
import CLinux
import Glibc

/// An open file or directory, closed with its last reference. Paths are relative to it (`openat(2)` and related calls),
/// so all steps of an operation stay in the same directory even if its name is taken over meanwhile.
final class Descriptor: Sendable {
    let raw: Int32
    /// For messages.
    let path: String

    init(owning raw: Int32, path: String) {
        self.raw = raw
        self.path = path
    }

    // close(2) reports write-back errors, and everything that must be durable was synced before.
    deinit { close(raw) }

    /// Opens a file or folder in this directory only: no link leads out of it, and no FIFO blocks the caller. Without
    /// `O_DIRECTORY` the result is a plain file; anything else by that name throws `EBADMSG`.
    func open(_ name: String, _ flags: Int32, mode: mode_t = 0) throws(PathError) -> Descriptor {
        let isFolder = flags & O_DIRECTORY != 0
        let guarded = flags | O_CLOEXEC | (isFolder ? 0 : O_NOFOLLOW | O_NONBLOCK)
        let result = try at(name, "open") { openBeneath(raw, name, guarded, mode) }
        let opened = Descriptor(owning: result, path: join(name))
        if isFolder { return opened }
        guard try opened.status().st_mode & S_IFMT == S_IFREG else {
            throw PathError(path: join(name), errno: Errno(EBADMSG, "open"))
        }
        return opened
    }

    /// Runs a call on the parent folder of a path's last component, and on that component. The folder lies in this
    /// directory.
    private func inFolder(_ name: String, _ call: String, _ body: (Int32, String) -> Int32) throws(PathError) -> Int32 {
        guard let slash = name.lastIndex(of: "/") else { return try at(name, call) { body(raw, name) } }
        let folder = String(name[..<slash])
        let parent = try at(folder, "open") { openBeneath(raw, folder, Self.pathOnly | O_DIRECTORY | O_CLOEXEC, 0) }
        defer { close(parent) }
        return try at(name, call) { body(parent, String(name[name.index(after: slash)...])) }
    }

    /// `O_PATH`, not imported by Swift.
    private static let pathOnly: Int32 = 0o10000000

    /// Opens a file; nil if it does not exist.
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
            _ = try inFolder(name, "stat") { fstatat($0, $1, &info, AT_SYMLINK_NOFOLLOW) }
            return info
        } catch  where error.code == ENOENT { return nil }
    }

    func isPresent(_ name: String) throws(PathError) -> Bool { try statusIfPresent(name) != nil }

    /// Creates a folder. Returns false if it exists.
    @discardableResult
    func makeDirectory(_ name: String) throws(PathError) -> Bool {
        do {
            _ = try inFolder(name, "mkdir") { mkdirat($0, $1, CloudLayout.folderMode) }
            return true
        } catch  where error.code == EEXIST { return false }
    }

    /// Gives a file a second name. Returns false if that name is taken. This orders the log: of several concurrent
    /// calls only the first succeeds.
    func link(_ name: String, to other: String) throws(PathError) -> Bool {
        do {
            try inBoth(name, other, "link") { linkat($0, $1, $2, $3, 0) }
            return true
        } catch  where error.code == EEXIST { return false }
    }

    func rename(_ name: String, to other: String) throws(PathError) {
        try inBoth(name, other, "rename") { renameat($0, $1, $2, $3) }
    }

    /// Runs a call on the parent folders of two paths' last components.
    private func inBoth(
        _ name: String, _ other: String, _ call: String, _ body: (Int32, String, Int32, String) -> Int32
    ) throws(PathError) {
        var failure: PathError?
        _ = try inFolder(other, call) { otherFolder, otherName in
            do throws(PathError) {
                return try inFolder(name, call) { body($0, $1, otherFolder, otherName) }
            } catch {
                failure = error
                return 0
            }
        }
        // An error of the call itself is reported with the destination's path.
        if let failure {
            throw failure.path == join(name) ? PathError(path: join(other), errno: failure.errno) : failure
        }
    }

    func remove(_ name: String, folder: Bool = false) throws(PathError) {
        _ = try inFolder(name, "unlink") { unlinkat($0, $1, folder ? AT_REMOVEDIR : 0) }
    }

    /// `fsync(2)`.
    func sync() throws(PathError) { try at("", "fsync") { fsync(raw) } }

    /// Makes the names in a folder of this directory durable.
    func syncFolder(_ name: String) throws(PathError) {
        do {
            try open(name, O_RDONLY | O_DIRECTORY).sync()
        } catch  where [EINVAL, EROFS].contains(error.code) {
            // Some file systems can not sync a folder (fsync(2): EINVAL), and a read-only file system has nothing to
            // sync.
        }
    }

    /// Syncs the whole file system with `syncfs(2)`.
    func syncFileSystem() throws(PathError) { try at("", "syncfs") { syncfs(raw) } }

    /// Returns the names in a folder, without `.` and `..`.
    func names(in name: String) throws(PathError) -> [String] {
        var result: [String] = []
        try forEachName(in: name) { result.append($0) }
        return result
    }

    /// Calls `body` for every name in a folder, unordered, without `.` and `..`.
    func forEachName(in name: String, _ body: (String) -> Void) throws(PathError) {
        let folder = try at(name, "open") { openBeneath(raw, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard let stream = fdopendir(folder) else {
            let code = errno
            close(folder)
            throw PathError(path: join(name), errno: Errno(code, "fdopendir"))
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let text = entry.name
            if text != "." && text != ".." { body(text) }
        }
        guard errno == 0 else { throw PathError(path: join(name), errno: Errno(errno, "readdir")) }
    }

    private func join(_ name: String) -> String { path.isEmpty || name.isEmpty ? path + name : "\(path)/\(name)" }

    @discardableResult
    func at(_ name: String, _ call: String, _ body: () -> Int32) throws(PathError) -> Int32 {
        do { return try check(call, body) } catch { throw PathError(path: join(name), errno: error) }
    }
}

/// Calls openat2(2) so that the path cannot leave the folder, or openat(2) if the kernel lacks it (before Linux 5.6) or
/// a system call filter refuses it.
private func openBeneath(_ folder: Int32, _ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    // openat2(2) takes a mode only when creating.
    let result = linux_open_beneath(folder, path, flags, flags & O_CREAT == 0 ? 0 : mode)
    if result < 0, errno == ENOSYS || errno == EPERM { return openat(folder, path, flags, mode) }
    // The error of opening a socket; a lost disk causes different errors.
    if result < 0, errno == ENXIO { errno = EBADMSG }
    return result
}
