import Basics
import Glibc
import Logging
import NIOPosix
import S3Client

/// An end of a migration: the database and the chunks of a server not in use by any process meanwhile.
///
/// A directory has a lock for that, released when this process ends. In PostgreSQL it is ``PostgresUse/exclusive``.
/// That lock may be lost earlier, with its connection: see ``requireAlone()``.
final class MigrationPlace: Sendable {
    let name: String
    let database: any StorageDatabase
    let objects: any ChunkObjects
    private let lock: Int32?

    /// - Parameter bucket: The client for the bucket of `place`; nil for a client with the credentials from `place` and
    ///   the environment.
    /// - Throws: `inUse` while a process serves this place, `notFound` if it has no server's data and `mayCreate` is
    ///   false.
    init(_ place: ServerPlace, mayCreate: Bool, log: Logger, bucket: S3Client?) throws {
        let bucket = try bucket ?? S3Client(chunksOf: place, log: log)
        let directory = DataDirectory(path: place.directory)
        // A cluster node's directory is a cache.
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
    /// - Parameter before: Its current mark.
    /// - Throws: `inUse` if it has a different mark, `busy` if a process may have begun to use it before it was marked.
    ///   Then it is not marked.
    func mark(_ mark: MigrationMark, after before: MigrationMark?) async throws {
        try await database.commit { try mark.replace($0) { $0 == before } }
        do { try await requireAlone() } catch {
            try await database.commit { db in
                if let before { try before.write(db) } else { try MigrationMark.remove(db) }
            }
            throw error
        }
    }

    /// Checks that no process can have begun to use this place since this process has it. After marking it, none can:
    /// every process first takes its lock, and then looks for a mark.
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
    /// The place's name for messages, without secrets.
    package var description: String {
        let rows = database.map { "\($0)" } ?? directory
        return chunks.map { "\(rows) with \($0)" } ?? rows
    }
}
