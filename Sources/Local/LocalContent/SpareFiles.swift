import Basics
import CLinux
import Glibc

/// Unnamed empty files, created ahead on a background thread, so that creating a blob costs a name only: a file system
/// spends most of a file's creation on its inode. The kernel removes those left by a process (`O_TMPFILE`, open(2)).
final class SpareFiles: Sendable {
    private let root: Int32
    private let background: Background
    private let supply = RankedMutex(.leaf, SpareSupply())

    /// - Parameter root: The files' root folder.
    init(root: Int32, background: @escaping Background) throws(Errno) {
        // A duplicate, since files may still be created when the owner closes its descriptor.
        self.root = try check("fcntl") { fcntl(root, F_DUPFD_CLOEXEC, 0) }
        self.background = background
        if access("/proc/self/fd", F_OK) != 0 { supply.withLock { $0.stop() } }
    }

    deinit {
        for file in supply.withLock({ $0.files }) { close(file) }
        close(root)
    }

    /// Takes a file, open for reading and writing, to be named by ``link(_:as:)``.
    ///
    /// - Parameter folder: The folder of that name, relative to the root, near which further files are created.
    /// - Returns: Nil if there is none.
    func take(near folder: String) -> Int32? {
        let (file, mustFill) = supply.withLock { $0.take() }
        if mustFill { background { [self] in fill(folder) } }
        return file
    }

    /// Gives a file the name `path`, relative to the root.
    ///
    /// - Returns: False if the name exists, its folder does not, or the file system refuses it.
    func link(_ file: Int32, as path: String) -> Bool {
        // Without a privilege, an open file can only be linked by this path.
        if linkat(AT_FDCWD, "/proc/self/fd/\(file)", root, path, AT_SYMLINK_FOLLOW) == 0 { return true }
        if [EPERM, EACCES, EOPNOTSUPP, EXDEV].contains(errno) { supply.withLock { $0.stop() } }
        return false
    }

    private func fill(_ folder: String) {
        var isMore = true
        while isMore {
            let file = linux_open_unnamed(root, folder, O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
            let code = errno
            isMore = supply.withLock { supply in
                if file >= 0 { return supply.add(file) }
                // Not every file system can; if the disk is full, the next blob reports it.
                if [EOPNOTSUPP, EISDIR, EINVAL].contains(code) { supply.stop() } else { supply.pause() }
                return false
            }
        }
    }
}

/// The number of files created ahead: few for single new files, doubled whenever a program was faster.
struct SpareSupply {
    private static let least = 4
    private static let most = 64

    private(set) var files: [Int32] = []
    private var wanted = 0
    private var isFilling = false
    private var isStopped = false

    /// Takes a file, if available.
    ///
    /// - Returns: The file, and whether to start creating more.
    mutating func take() -> (file: Int32?, mustFill: Bool) {
        let file = files.popLast()
        if file == nil { wanted = min(max(wanted * 2, Self.least), Self.most) }
        guard !isFilling, !isStopped, files.count <= wanted / 2 else { return (file, false) }
        isFilling = true
        return (file, true)
    }

    /// Adds a new file.
    ///
    /// - Returns: Whether to create a further file.
    mutating func add(_ file: Int32) -> Bool {
        files.append(file)
        isFilling = files.count < wanted && !isStopped
        return isFilling
    }

    /// Stops creating files until the next one is taken.
    mutating func pause() { isFilling = false }

    /// Ends making files for good.
    mutating func stop() { (isFilling, isStopped) = (false, true) }
}
