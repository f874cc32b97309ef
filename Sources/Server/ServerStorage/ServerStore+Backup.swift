import Basics
import CloudModel
import Foundation
import Glibc

/// A backup: a copy of the database at one moment, and the files of its chunks.
///
/// It is created while the server works. The new database replaces the previous backup's only when all of its chunks
/// are in place, so the directory is a complete backup at any moment, even after a crash: the previous or the new one.
extension ServerStore {
    /// Creates a backup in an absent or empty directory, or updates an earlier backup, copying only new chunks.
    /// `progress` is called periodically, on its own thread.
    ///
    /// - Parameter force: Whether to replace the backup of a different server, or of a later state of this server,
    ///   instead of refusing.
    /// - Throws: `invalid` for a server with its chunks in a bucket, `diverged` if the backup has entries missing from
    ///   this server.
    package func backUp(
        to path: String, mayLink: Bool = true, force: Bool = false,
        progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
    ) async throws -> CopyProgress {
        guard chunks.objects is ChunkFiles else { throw Self.bucketBackup }
        let clouds = BackupOrigin(
            identities: try await database.read { try AccountStore.identities($0) })
        return try await threads.blocking { [directory, database] in
            let backup = BackupDirectory(path: path)
            try backup.prepare()
            if !force { try backup.requireOrigin(clouds) }
            let lock = try CopyLock.copying(directory)
            defer { lock.release() }
            try database.copy(to: backup.newDatabase)
            let copied = try SQLiteFile(path: backup.newDatabase)
            if !force { try backup.requireHistory(in: copied) }
            let copying = ChunkCopying(
                source: directory.chunks, target: backup.chunks, copy: FileCopy(mayLink: mayLink))
            let outcome = try copying.run(copied, progress) { _ in }
            try copied.close()
            try syncAll(at: path)
            try check("rename") { rename(backup.newDatabase, backup.database) }
            try syncDirectory(path)
            try backup.removeSuperfluous()
            return outcome
        }
    }

    private static let bucketBackup = StorageError(
        .invalid,
        """
        A server with its chunks in a bucket is not backed up this way. Turn on the versioning of the bucket, which keeps deleted \
        objects for a time, and back up the database with its own tools (pg_basebackup and its archive, or pg_dump).
        """)
}

/// The folder of a backup.
struct BackupDirectory {
    let path: String

    var database: String { "\(path)/server.sqlite" }
    var newDatabase: String { "\(path)/server.sqlite.new" }
    var chunks: String { "\(path)/chunks" }
    /// A file that distinguishes a backup from a server's own directory, and from anything else.
    private var mark: String { "\(path)/backup" }
    private static let markText = "ubiquity-server backup 1\n"

    func prepare() throws {
        do throws(Errno) {
            try makeFolder(path)
            // An interrupted first backup may have left an incomplete mark.
            let names = fileNames(in: path).filter { $0 != "backup.new" }
            guard names.isEmpty || names.contains("backup") else { throw Errno(ENOTEMPTY) }
            if names.isEmpty { try writeMark() }
            try makeFolder(chunks)
        } catch  where error.code == ENOTEMPTY {
            throw StorageError(
                .invalid,
                "\(path) contains files that are not a backup. Name an empty directory, or one with a backup.")
        } catch { throw StorageError(.failed, "\(path) cannot be used for a backup: \(error).", cause: error) }
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(newDatabase + suffix) }
    }

    /// Refuses to replace a different server's backup.
    ///
    /// - Throws: `invalid` if the existing backup shares no account with its replacement.
    func requireOrigin(_ clouds: BackupOrigin) throws {
        guard fileSize(database) != nil else { return }
        let file = try SQLiteFile(path: database)
        defer { try? file.close() }  // The connection ends with its last reference in any case.
        let earlier = BackupOrigin(identities: try file.read { try AccountStore.identities($0) })
        guard earlier.isEmpty || earlier.sharesAccount(with: clouds) else {
            throw StorageError(
                .invalid,
                """
                \(path) has the backup of another server, with the accounts \(earlier.listed). Check --data; name another \
                directory, or pass --force to replace that backup.
                """)
        }
    }

    private func makeFolder(_ path: String) throws(Errno) {
        if mkdir(path, 0o700) == 0 { return }
        guard errno == EEXIST else { throw Errno(errno, "mkdir \(path)") }
        // Restricted to the owner: the database in it has every name and every sign-in.
        let descriptor = try check("open \(path)") { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        defer { close(descriptor) }
        var information = stat()
        try check("fstat \(path)") { fstat(descriptor, &information) }
        guard information.st_mode & 0o077 != 0 else { return }
        try check("chmod \(path)") { fchmod(descriptor, information.st_mode & 0o700) }
    }

    private func writeMark() throws(Errno) {
        try DurableFile(mark, temporary: "\(mark).new").replace(with: Array(Self.markText.utf8))
    }

    /// Removes files needed only by an earlier backup.
    func removeSuperfluous() throws {
        let file = try SQLiteFile(path: database)
        for container in fileNames(in: chunks) {
            for shard in fileNames(in: "\(chunks)/\(container)") {
                let names = fileNames(in: "\(chunks)/\(container)/\(shard)").map { "\(container)/\(shard)/\($0)" }
                let gone = try file.read { db in try names.filter { try !ChunkStore.hasRow($0, db) } }
                for name in gone { unlink("\(chunks)/\(name)") }
            }
        }
        try file.close()
    }
}
