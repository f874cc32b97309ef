import Basics
import CloudModel
import Foundation
import GRDB
import Glibc
import NIOPosix

/// Creates a server's directory from a backup.
///
/// Every cloud in it gets another name, by which devices notice that they have seen more than the backup has. What was revoked, withdrawn
/// or used after the backup was made must not come back with it, and the backup cannot know: so sign-in codes, recovery codes, browser
/// sessions and passkeys end, and devices and links are suspended until the owner confirms them.
package struct ServerRestore: Sendable {
    private let backup: BackupDirectory
    private let target: DataDirectory
    private let copy: FileCopy
    private let trustsDevices: Bool

    /// - Parameters:
    ///   - mayLink: chunks become second names of the backup's files where the file system can.
    ///   - trustsDevices: devices and links of the backup work without being confirmed.
    package init(from backup: String, to data: String, mayLink: Bool = false, trustsDevices: Bool = false) {
        self.trustsDevices = trustsDevices
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
        try target.prepare(mayCreate: true)
        try mark()
        for suffix in ["", "-wal"] where fileSize(backup.database + suffix) != nil {
            try copyFile(backup.database + suffix, to: target.database + suffix)
        }
        let outcome = try fill(progress)
        try syncAll(at: target.path)
        try check("unlink") { unlink(target.restoring) }
        try syncDirectory(target.path)
        return outcome
    }

    /// From here on, until all is whole, no server takes the directory for its own.
    private func mark() throws {
        close(try check("open") { open(target.restoring, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) })
        try syncDirectory(target.path)
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
            try Self.withdrawAccess(db, trustsDevices: trustsDevices)
        }
        try queue.close()
        return outcome
    }

    /// Numbers that the lost server may have given after the backup are not given again: a log names devices by them.
    private static let skippedNumbers = 10_000

    private static func withdrawAccess(_ db: Database, trustsDevices: Bool) throws {
        try db.execute(sql: "DELETE FROM code")
        try db.execute(sql: "DELETE FROM session")
        try db.execute(sql: "DELETE FROM recoveryCode")
        try db.execute(
            sql: "UPDATE sqlite_sequence SET seq = seq + ? WHERE name IN ('device', 'link', 'session', 'passkey')",
            arguments: [skippedNumbers])
        guard !trustsDevices else { return }
        try db.execute(sql: "DELETE FROM passkey")
        try db.execute(sql: "UPDATE device SET suspended = unixepoch() WHERE revoked IS NULL")
        try db.execute(sql: "UPDATE link SET suspended = unixepoch()")
    }

    private static func distrust(_ place: ChunkPlace, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE chunk SET isTrusted = 0 WHERE container = ? AND id = ?",
            arguments: [place.container, Data(place.id.bytes)])
    }
}
