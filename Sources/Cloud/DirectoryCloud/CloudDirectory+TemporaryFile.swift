import Basics
import CloudModel
import Glibc
import Logging
import Synchronization

extension CloudDirectory {
    /// Passes the path of a new file with these parts to `body`. If the path still exists afterwards, it is removed.
    func withTemporaryFile<T>(
        in directory: Descriptor, _ parts: [[UInt8]], durable: Bool, _ body: (String) throws -> T
    ) throws -> T {
        let path = TemporaryName.new().path
        let flags = O_WRONLY | O_CREAT | O_EXCL
        let file = try inTemporaryFolder(of: directory) { () throws(PathError) in
            try directory.open(path, flags, mode: CloudLayout.fileMode)
        }
        // After a rename the path is gone; after a failure ``removeLeftovers(in:)`` removes it later.
        defer { try? directory.remove(path) }
        for part in parts { try file.write(part) }
        if durable { try file.sync() }
        return try body(path)
    }

    /// Replaces the first bytes of a temporary file, durably.
    func replaceHeader(of path: String, _ header: [UInt8], in directory: Descriptor) throws {
        let file = try directory.open(path, O_WRONLY)
        try file.write(header)
        try file.sync()
    }

    /// Passes the path of a new folder with these subfolders to `body`.
    func withTemporaryFolder<T>(
        in directory: Descriptor, _ folders: [String], _ body: (String) throws -> T
    ) throws -> T {
        let path = TemporaryName.new().path
        _ = try inTemporaryFolder(of: directory) { () throws(PathError) in try directory.makeDirectory(path) }
        defer { removeTree(path, in: directory) }
        for folder in folders {
            try directory.makeDirectory("\(path)/\(folder)")
            try directory.syncFolder("\(path)/\(folder)")
        }
        try directory.syncFolder(path)
        return try body(path)
    }

    /// Runs `body`, creating the folder for temporary files if it is absent: it is usually empty, so a backup program
    /// may have left it out.
    private func inTemporaryFolder<T>(
        of directory: Descriptor, _ body: () throws(PathError) -> T
    ) throws(PathError) -> T {
        do { return try body() } catch  where error.code == ENOENT {
            try directory.makeDirectory(CloudLayout.temporary)
            return try body()
        }
    }

    /// Removes the files of crashed writers. A failure costs only space, and the next connect retries.
    func removeLeftovers(in directory: Descriptor) {
        do {
            for name in try directory.names(in: CloudLayout.temporary) {
                guard let leftover = TemporaryName(name), let info = try directory.statusIfPresent(leftover.path) else {
                    continue
                }
                let age = time.now().duration(since: Timestamp(info.st_mtim))
                guard leftover.isAbandoned(age: age, makerLives: isAlive(leftover.process)) else {
                    continue
                }
                removeTree(leftover.path, in: directory)
            }
        } catch {
            logger.debug(
                "could not remove old temporary files", metadata: ["path": "\(error.path)", "error": "\(error.errno)"])
        }
    }

    /// Removes a file, or a folder of empty folders. Anything not removable stays.
    private func removeTree(_ path: String, in directory: Descriptor) {
        if (try? directory.remove(path)) != nil { return }
        guard let inner = try? directory.names(in: path) else { return }
        for name in inner { try? directory.remove("\(path)/\(name)", folder: true) }
        try? directory.remove(path, folder: true)
    }

    private func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }
}
