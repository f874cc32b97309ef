import Basics
import CloudModel
import Foundation
import GRDB
import Glibc
import NIOPosix

/// Makes a server's directory of a backup. Every cloud in it gets another name, by which devices notice what they have seen more.
package struct ServerRestore: Sendable {
    private let backup: BackupDirectory
    private let target: DataDirectory
    private let copy: FileCopy

    /// - Parameter mayLink: chunks become second names of the backup's files where the file system can.
    package init(from backup: String, to data: String, mayLink: Bool = false) {
        self.backup = BackupDirectory(path: backup)
        target = DataDirectory(path: data)
        copy = FileCopy(mayLink: mayLink)
    }

    /// Refuses a target that has anything in it. Interrupted it leaves a directory that no server serves.
    /// `progress` is called now and then, on a thread of its own.
    package func run(progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }) async throws -> CopyProgress {
        do { return try await NIOThreadPool.singleton.runIfActive { try restore(progress) } } catch {
            throw StorageError.of(error)
        }
    }

    private func restore(_ progress: (CopyProgress) -> Void) throws -> CopyProgress {
        guard fileSize(backup.database) != nil else {
            throw StorageError(.notFound, "\(backup.path) has no backup: there is no server.sqlite in it.")
        }
        guard fileNames(in: target.path).isEmpty else {
            throw StorageError(
                .invalid, "\(target.path) is not empty. Restore into an empty directory; nothing was changed.")
        }
        try target.prepare()
        try mark()
        for suffix in ["", "-wal"] where fileSize(backup.database + suffix) != nil {
            try copyFile(backup.database + suffix, to: target.database + suffix)
        }
        let outcome = try fill(progress)
        try syncAll(at: target.path)
        try check("unlink") { unlink(target.restoring) }
        try syncFolder(target.path)
        return outcome
    }

    /// From here on, until all is whole, no server takes the directory for its own.
    private func mark() throws {
        close(try check("open") { open(target.restoring, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) })
        try syncFolder(target.path)
    }

    private func fill(_ progress: (CopyProgress) -> Void) throws -> CopyProgress {
        let queue = try DatabaseQueue(path: target.database)
        try queue.read { db in
            guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
                throw StorageError(.damaged, "The backup's database is damaged. Take another backup.")
            }
        }
        guard try !queue.read(ServerSchema.migrator.hasBeenSuperseded) else {
            throw StorageError(.tooNew, "The backup is of a newer version of ubiquity-server. Install that one.")
        }
        try ServerSchema.migrator.migrate(queue)
        let copying = ChunkCopying(source: backup.chunks, target: target.chunks, copy: copy)
        let outcome = try copying.run(queue, progress) { lost in
            // Devices that have them send them again.
            try queue.write { db in for place in lost { try Self.distrust(place, db) } }
        }
        try queue.write { db in
            for account in try Int64.fetchAll(db, sql: "SELECT id FROM account WHERE identity IS NOT NULL") {
                try ServerStore.renameCloud(of: account, to: ServerStore.randomIdentity(), db)
            }
        }
        try queue.close()
        return outcome
    }

    private static func distrust(_ place: ChunkPlace, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE chunk SET isTrusted = 0 WHERE container = ? AND id = ?",
            arguments: [place.container, Data(place.id.bytes)])
    }
}
