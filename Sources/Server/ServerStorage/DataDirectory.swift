import Basics
import Glibc

/// The folder that a server keeps everything in, for its owner only.
struct DataDirectory: Sendable {
    let path: String

    var database: String { "\(path)/server.sqlite" }
    var chunks: String { "\(path)/chunks" }
    var temporary: String { "\(path)/temporary" }
    /// Folded logs; they can be made again from the database.
    var trees: String { "\(path)/trees" }
    /// The lock that keeps chunks from being collected while somebody copies them.
    var copying: String { "\(path)/copying" }
    /// There while a restore is not whole.
    var restoring: String { "\(path)/restoring" }
    private var lockFile: String { "\(path)/lock" }

    /// Makes it where it is not there; the folder above must be.
    func prepare() throws {
        guard access(restoring, F_OK) != 0 else {
            throw StorageError(
                .damaged,
                "A restore into \(path) was interrupted. Remove that directory and restore again; nothing was served from it."
            )
        }
        do throws(Errno) {
            try make(path)
            try make(chunks)
            try make(temporary)
            try make(trees)
            try syncFolder(path)
        } catch {
            throw StorageError(
                .failed, "The data directory \(path) can not be used: \(error). Name another with --data.")
        }
    }

    /// A descriptor that has the lock of the process that serves; the lock goes with the process (flock(2)).
    func lock() throws -> Int32 {
        let descriptor = try check("open") { open(lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StorageError(
                .inUse, "Another ubiquity-server serves \(path). End that one first, or name another directory.")
        }
        return descriptor
    }

    /// What writers of an earlier process left.
    func removeLeftovers() {
        for name in fileNames(in: temporary) {
            let path = "\(temporary)/\(name)"
            guard unlink(path) != 0, errno == EISDIR else { continue }
            // What does not go now is tried again at the next start.
            try? removeTree(path)
        }
    }

    /// Bytes of the disk that anybody may still use.
    func freeBytes() throws -> UInt64 {
        var information = statvfs()
        try check("statvfs") { statvfs(path, &information) }
        return UInt64(information.f_bavail).saturatingProduct(UInt64(information.f_frsize))
    }

    private func make(_ path: String) throws(Errno) {
        guard mkdir(path, 0o700) != 0 else { return }
        guard errno == EEXIST else { throw Errno(errno, "mkdir \(path)") }
    }
}

/// Makes the names in a folder durable.
func syncFolder(_ path: String) throws(Errno) {
    let descriptor = try check("open \(path)") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(descriptor) }
    try check("fsync \(path)") { fsync(descriptor) }
}
