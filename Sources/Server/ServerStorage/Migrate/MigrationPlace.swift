import Basics
import Glibc
import Logging
import NIOPosix
import S3Client

/// One end of a migration: the database and the chunks of a server that no process uses meanwhile.
///
/// A directory has a lock for that, which ends with this process. In PostgreSQL it is ``PostgresUse/exclusive``, which may end earlier, with
/// its connection: see ``requireAlone()``.
final class MigrationPlace: Sendable {
    let name: String
    let database: any StorageDatabase
    let objects: any ChunkObjects
    private let lock: Int32?

    /// - Parameter bucket: The client for the bucket of `place`; nil for one with the credentials that `place` and the environment name.
    /// - Throws: `inUse` while a process serves this place, `notFound` if it has no server's data and `mayCreate` is false.
    init(_ place: ServerPlace, mayCreate: Bool, log: Logger, bucket: S3Client?) throws {
        let bucket = try bucket ?? S3Client(chunksOf: place, log: log)
        let directory = DataDirectory(path: place.directory)
        // That of a process of a cluster is a cache.
        if place.database == nil || bucket == nil {
            try directory.prepare(mayCreate: mayCreate, isCache: place.database != nil)
            lock = try directory.lock()
        } else {
            lock = nil
        }
        do {
            database =
                if let address = place.database {
                    try PostgresDatabase(address, mayCreate: mayCreate, bounds: Self.bounds, use: .exclusive)
                } else { try SQLiteDatabase(path: directory.database) }
        } catch {
            if let lock { Glibc.close(lock) }
            throw error
        }
        objects = if let bucket { ChunkBucket(bucket, database) } else { ChunkFiles(directory, .singleton) }
        name = place.description
    }

    /// No device waits, and counting the rows of a large table takes minutes.
    private static var bounds: PostgresBounds {
        var bounds = PostgresBounds()
        bounds.statement = .seconds(3_600)
        bounds.silence = bounds.statement + .seconds(10)
        bounds.patience = .seconds(60)
        return bounds
    }

    /// Marks this end, so that nothing uses it from then on.
    ///
    /// - Parameter before: The mark that it has.
    /// - Throws: `inUse` if it has another one, `busy` if a process may have begun to use it before it was marked. Then it is not marked.
    func mark(_ mark: MigrationMark, after before: MigrationMark?) async throws {
        try await database.commit { try mark.replace($0) { $0 == before } }
        do { try await requireAlone() } catch {
            try await database.commit { db in
                if let before { try before.write(db) } else { try MigrationMark.remove(db) }
            }
            throw error
        }
    }

    /// Checks that no process can have begun to use this place since this one has it. From its mark on none can: every process takes its
    /// lock first, and looks for a mark then.
    private func requireAlone() async throws {
        guard let database = database as? PostgresDatabase else { return }
        try await database.requireExclusiveUse()
    }

    func close() throws {
        defer { if let lock { Glibc.close(lock) } }
        try database.close()
    }
}

extension ServerPlace: CustomStringConvertible {
    /// The place as messages name it, without secrets.
    package var description: String {
        let rows = database.map { "\($0)" } ?? directory
        return chunks.map { "\(rows) with \($0)" } ?? rows
    }
}
