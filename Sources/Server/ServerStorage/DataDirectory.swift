import Basics
import Glibc

/// A server's data folder, accessible to its owner only.
struct DataDirectory: Sendable {
    let path: String

    var database: String { "\(path)/server.sqlite" }
    var chunks: String { "\(path)/chunks" }
    var temporary: String { "\(path)/temporary" }
    /// Folded logs. They can be rebuilt from the database.
    var folded: String { "\(path)/folded" }
    /// The lock for keeping chunks from collection while a backup copies them.
    var copying: String { "\(path)/copying" }
    /// Exists while a restore is incomplete.
    var restoring: String { "\(path)/restoring" }
    private var lockFile: String { "\(path)/lock" }

    /// This program's entries in the directory besides its database.
    private static let ownNames: Set<String> = [
        "chunks", "temporary", "folded", "lock", "copying", "collecting", "restoring", "metrics-token", "generation",
        "server.sqlite-wal", "server.sqlite-shm", "lost+found",
    ]

    /// Restricts the directory to its owner. Creates it if it is absent and `mayCreate`; the parent folder must exist,
    /// except for a cache.
    ///
    /// - Parameter isCache: Whether its contents may be lost, as a cluster node's can.
    /// - Throws: `notFound` if there is no server's data and none may be created, `invalid` for a directory of
    ///   something else.
    func prepare(mayCreate: Bool, isCache: Bool = false) throws {
        guard !isCache || fileSize(database) == nil else {
            throw StorageError(
                .invalid,
                "\(path) has the data of a server of its own. Name another directory for the cache, which may be empty."
            )
        }
        guard access(restoring, F_OK) != 0 else {
            throw StorageError(
                .damaged,
                "A restore into \(path) was interrupted. Remove that directory and restore again; nothing was served from it."
            )
        }
        if fileSize(database) == nil { try requireCreation(mayCreate || isCache) }
        do throws(Errno) {
            // A service user may have no home yet. A data directory's parent has to exist: its disk may not be mounted.
            if isCache { try createDirectories(path) } else { try make(path) }
            try closeToOthers()
            try make(chunks)
            try make(temporary)
            try make(folded)
            try syncDirectory(path)
        } catch {
            let (what, option) = isCache ? ("cache", "--cache") : ("data directory", "--data")
            throw StorageError(.failed, "The \(what) \(path) cannot be used: \(error). Name another with \(option).")
        }
    }

    /// A mistyped path, or an unmounted disk, must not pass for an empty server.
    private func requireCreation(_ mayCreate: Bool) throws {
        guard mayCreate else {
            throw StorageError(
                .notFound,
                "No server keeps its data in \(path): it has no server.sqlite. Check --data, and that its disk is mounted."
            )
        }
        guard Self.ownNames.isSuperset(of: fileNames(in: path)) else {
            throw StorageError(
                .invalid,
                "\(path) contains files that are not a server's. Name an empty directory, or one that does not exist yet."
            )
        }
    }

    /// Removes the group's and all other users' permissions from an existing directory.
    private func closeToOthers() throws(Errno) {
        let descriptor = try check("open") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(descriptor) }
        var information = stat()
        try check("fstat") { fstat(descriptor, &information) }
        guard information.st_uid == geteuid() else {
            throw Errno(EPERM, "it belongs to user \(information.st_uid), and this process is user \(geteuid())")
        }
        guard information.st_mode & 0o077 != 0 else { return }
        try check("fchmod") { fchmod(descriptor, information.st_mode & 0o700) }
    }

    /// Returns a descriptor holding the serving process's lock. The lock is released when the process ends (flock(2)).
    func lock() throws -> Int32 {
        let descriptor = try check("open") { open(lockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StorageError(
                .inUse, "Another ubiquity-server serves \(path). End that one first, or name another directory.")
        }
        return descriptor
    }

    /// Removes the temporary files of an earlier process.
    func removeLeftovers() {
        for name in fileNames(in: temporary) {
            let path = "\(temporary)/\(name)"
            guard unlink(path) != 0, errno == EISDIR else { continue }
            // Anything that cannot be removed now is retried at the next start.
            try? removeTree(path)
        }
    }

    /// Bytes of the disk still available to unprivileged users.
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
