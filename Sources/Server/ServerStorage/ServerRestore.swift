import Basics
import CloudModel
import Foundation
import Glibc
import NIOPosix

/// Creates a server's directory from a backup.
///
/// Devices notice by their positions if they have seen more than the backup has. Anything revoked, withdrawn or used
/// after the backup must not become valid again, and the backup cannot know it: so sign-in codes, recovery codes,
/// browser sessions and passkeys end, and devices and links are suspended until the owner confirms them.
package struct ServerRestore: Sendable {
    private let backup: BackupDirectory
    private let target: DataDirectory
    private let copy: FileCopy
    private let trustsDevices: Bool

    /// - Parameters:
    ///   - mayLink: Whether chunks become hard links to the backup's files where the file system supports that.
    ///   - trustsDevices: Whether devices and links of the backup work without being confirmed.
    package init(from backup: String, to data: String, mayLink: Bool = false, trustsDevices: Bool = false) {
        self.trustsDevices = trustsDevices
        self.backup = BackupDirectory(path: backup)
        target = DataDirectory(path: data)
        copy = FileCopy(mayLink: mayLink)
    }

    /// Restores the backup. Refuses a target that is not empty. If interrupted, leaves an incomplete directory that no
    /// server serves. `progress` is called periodically, on its own thread.
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

    /// Marks the directory as incomplete: no server serves it until the restore is complete.
    private func mark() throws {
        close(try check("open") { open(target.restoring, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) })
        try syncDirectory(target.path)
    }

    private func fill(_ progress: (CopyProgress) -> Void) throws -> CopyProgress {
        let file = try SQLiteFile(path: target.database)
        guard try file.isWhole() else {
            throw StorageError(.damaged, "The backup's database is damaged. Take another backup.")
        }
        guard try !file.isTooNew() else {
            throw StorageError(.tooNew, "The backup is of a newer version of ubiquity-server. Install that one.")
        }
        try file.migrate()
        let copying = ChunkCopying(source: backup.chunks, target: target.chunks, copy: copy)
        let outcome = try copying.run(file, progress) { lost in
            // Devices with these chunks send them again.
            try file.write { db in for place in lost { try ChunkStore.distrust(place, db) } }
        }
        try file.write { try RestoredAccess(trustsDevices: trustsDevices).renew($0) }
        try file.close()
        return outcome
    }
}
