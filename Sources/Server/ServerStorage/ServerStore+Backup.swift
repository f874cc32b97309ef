import Basics
import CloudModel
import Foundation
import GRDB
import Glibc

/// A backup: a copy of the database of one moment, and the files of the chunks that it tells of.
///
/// It is made beside a server that works. The new database takes the place of an earlier one only when all of its chunks are there, so
/// at any moment, also after a death half-way, the directory is one whole backup: the one before or the new one.
extension ServerStore {
    /// Makes a backup in a directory that is absent, empty, or has an earlier one; then only what is new is copied.
    /// `progress` is called now and then, on a thread of its own.
    package func backUp(
        to path: String, mayLink: Bool = true, progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
    ) async throws -> CopyProgress {
        try await blocking { [directory, database] in
            let backup = BackupDirectory(path: path)
            try backup.prepare()
            let lock = try CopyLock.copying(directory)
            defer { lock.release() }
            try database.copy(to: backup.newDatabase)
            let copied = try DatabaseQueue(path: backup.newDatabase)
            let copying = ChunkCopying(
                source: directory.chunks, target: backup.chunks, copy: FileCopy(mayLink: mayLink))
            let outcome = try copying.run(copied, progress) { _ in }
            try copied.close()
            try syncAll(at: path)
            try check("rename") { rename(backup.newDatabase, backup.database) }
            try syncFolder(path)
            try backup.removeSuperfluous()
            return outcome
        }
    }
}

/// The folder of a backup.
struct BackupDirectory {
    let path: String

    var database: String { "\(path)/server.sqlite" }
    var newDatabase: String { "\(path)/server.sqlite.new" }
    var chunks: String { "\(path)/chunks" }
    /// Tells a backup from a server's own directory, and from anything else.
    private var mark: String { "\(path)/backup" }
    private static let markText = "ubiquity-server backup 1\n"

    func prepare() throws {
        do throws(Errno) {
            try makeFolder(path)
            let names = fileNames(in: path)
            guard names.isEmpty || names.contains("backup") else { throw Errno(ENOTEMPTY) }
            if names.isEmpty { try writeMark() }
            try makeFolder(chunks)
        } catch  where error.code == ENOTEMPTY {
            throw StorageError(
                .invalid,
                "\(path) has something else than a backup in it. Name an empty directory, or one with a backup.")
        } catch { throw StorageError(.failed, "\(path) can not be used for a backup: \(error).", cause: error) }
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(newDatabase + suffix) }
    }

    private func makeFolder(_ path: String) throws(Errno) {
        guard mkdir(path, 0o700) != 0 else { return }
        guard errno == EEXIST else { throw Errno(errno, "mkdir \(path)") }
    }

    private func writeMark() throws(Errno) {
        let descriptor = try check("open \(mark)") { open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        defer { close(descriptor) }
        let text = Array(Self.markText.utf8)
        try check("write \(mark)") { write(descriptor, text, text.count) }
        try check("fsync \(mark)") { fsync(descriptor) }
    }

    /// What an earlier backup needed and this one does not.
    func removeSuperfluous() throws {
        let queue = try DatabaseQueue(path: database)
        for container in fileNames(in: chunks) {
            for shard in fileNames(in: "\(chunks)/\(container)") {
                let names = fileNames(in: "\(chunks)/\(container)/\(shard)").map { "\(container)/\(shard)/\($0)" }
                let gone = try queue.read { db in try names.filter { try !ServerStore.hasRow($0, db) } }
                for name in gone { unlink("\(chunks)/\(name)") }
            }
        }
        try queue.close()
    }
}
