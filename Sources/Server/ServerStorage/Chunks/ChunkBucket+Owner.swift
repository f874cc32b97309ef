import Basics
import Foundation
import S3Client
import Synchronization

/// The owner of a bucket's prefix: a database.
extension ChunkBucket {
    private static let limit = 1_024

    /// Checks, once per process, that the bucket belongs to the database. A new database takes an unused prefix.
    ///
    /// - Throws: `invalid` if the prefix belongs to a different database, or is empty although rows refer to objects in
    ///   it.
    func requireOwner() async throws {
        guard !isOurs.withLock({ $0 }) else { return }
        let (identity, hasObjects) = try await identity()
        try await translating { try await self.take(identity, hasObjects: hasObjects) }
        isOurs.withLock { $0 = true }
    }

    private func take(_ identity: String, hasObjects: Bool) async throws {
        let (key, bytes) = ("\(root)ubiquity-server", Array("\(identity)\n".utf8))
        var found = try await client.get(key, limit: Self.limit)
        if case .missing = found {
            guard !hasObjects else {
                throw StorageError(
                    .invalid,
                    """
                    There are no chunks of this server at \(client.location). Check --chunks; if the objects were deleted, restore \
                    their earlier versions.
                    """)
            }
            do { _ = try await client.create(key, bytes) } catch let error as S3Error where error.code == .unsupported {
                // A store without conditional writes. Two servers would have to take one prefix within milliseconds.
                try await client.put(key, bytes)
            }
            found = try await client.get(key, limit: Self.limit)
        }
        guard case .object(let object) = found, object.bytes == bytes else {
            throw StorageError(
                .invalid,
                "The chunks at \(client.location) are those of another server's database. Check --database and --chunks."
            )
        }
    }

    /// Returns the database's name in the bucket, and whether rows refer to objects.
    private func identity() async throws -> (String, hasObjects: Bool) {
        let new = Hex.encode(UInt64.random(in: 0...(.max))) + Hex.encode(UInt64.random(in: 0...(.max)))
        let known = try await database.read { try Self.identity($0) }
        if let known { return known }
        return try await database.commit { db in
            try db.execute("INSERT INTO bucket (one, identity, epoch) VALUES (1, ?, 0) ON CONFLICT DO NOTHING", [new])
            guard let known = try Self.identity(db) else {
                throw StorageError(.failed, "The bucket could not be recorded; try again.")
            }
            return known
        }
    }

    private static func identity(_ db: any StorageTransaction) throws -> (String, hasObjects: Bool)? {
        guard let identity = try db.value(String.self, "SELECT identity FROM bucket WHERE one = 1") else { return nil }
        return (identity, try db.exists("SELECT 1 FROM chunk WHERE object IS NOT NULL LIMIT 1"))
    }
}
