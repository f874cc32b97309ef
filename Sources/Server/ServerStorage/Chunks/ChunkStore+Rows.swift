import CloudModel
import Foundation
import Glibc

/// Rows of chunks for the server's own work: a collection, a backup, the removal of a container.
extension ChunkStore {
    private static let page = 256

    /// Returns what is known about a manifest; nil if no such chunk is here.
    func manifestRow(_ id: ChunkID, in container: Int64) async throws -> ManifestRow? {
        try await database.read { db in
            try db.row(
                "SELECT size, content, held FROM chunk WHERE container = ? AND id = ?", [container, Data(id.bytes)]
            ).map {
                try ManifestRow(
                    place: ChunkPlace(container: container, id: id, size: $0[0]), content: $0[1], held: $0[2])
            }
        }
    }

    /// Returns a page of the chunks that no device has relied on since `cutoff`, ordered by id.
    func places(in container: Int64, after id: Data, touchedBefore cutoff: Int64) async throws -> [ChunkPlace] {
        try await database.read { db in
            try db.rows(
                "SELECT container, id, size FROM chunk WHERE container = ? AND id > ? AND touched < ? ORDER BY id LIMIT ?",
                [container, id, cutoff, Self.page]
            ).map(ChunkPlace.init)
        }
    }

    /// Returns a page of all chunks of a server, ordered by container and id.
    static func places(
        after position: (container: Int64, id: Data), limit: Int, _ db: any StorageTransaction
    ) throws -> [ChunkPlace] {
        try db.rows(
            "SELECT container, id, size FROM chunk WHERE (container, id) > (?, ?) ORDER BY container, id LIMIT ?",
            [position.container, position.id, limit]
        ).map(ChunkPlace.init)
    }

    static func count(_ db: any StorageTransaction) throws -> Int {
        try db.value(Int.self, "SELECT COUNT(*) FROM chunk") ?? 0
    }

    static func frameBytes(of container: Int64, _ db: any StorageTransaction) throws -> UInt64 {
        UInt64(clamping: try db.value(Int64.self, "SELECT SUM(size) FROM chunk WHERE container = ?", [container]) ?? 0)
    }

    /// Removes the rows of chunks, except of those that a device has relied on since `cutoff`.
    ///
    /// - Returns: The chunks whose rows were removed.
    func removeRows(
        of places: [ChunkPlace], of account: AccountID, touchedBefore cutoff: Int64
    ) async throws -> [ChunkPlace] {
        try await database.commit { db in
            try places.filter { place in
                let removed = try db.execute(
                    "DELETE FROM chunk WHERE container = ? AND id = ? AND touched < ?",
                    [place.container, Data(place.id.bytes), cutoff])
                guard removed > 0 else { return false }
                try AccountStore.use(-StorageCost.chunk(place.size), of: account, db)
                return true
            }
        }
    }

    /// Removes up to `limit` rows of a container.
    ///
    /// - Returns: How many were removed, and what they cost the account.
    static func removeRows(
        of container: Int64, limit: Int, _ db: any StorageTransaction
    ) throws -> (count: Int, bytes: Int) {
        let sizes = try db.values(
            Int.self,
            """
            DELETE FROM chunk WHERE container = ?1 AND id IN (SELECT id FROM chunk WHERE container = ?1 LIMIT ?2)
            RETURNING size
            """, [container, limit])
        return (sizes.count, sizes.reduce(0) { $0 + StorageCost.chunk($1) })
    }

    static func distrust(_ place: ChunkPlace, _ db: any StorageTransaction) throws {
        try db.execute(
            "UPDATE chunk SET isTrusted = 0 WHERE container = ? AND id = ?", [place.container, Data(place.id.bytes)])
    }

    // MARK: Files without a row

    /// Returns the files without a row. Names are paths below the folder of chunks.
    func withoutRow(_ names: [String]) async throws -> [String] {
        guard !names.isEmpty else { return [] }
        return try await database.read { db in try names.filter { try !Self.hasRow($0, db) } }
    }

    /// Removes files that still have no row. Names are paths below the folder of chunks. Runs under the write lock: a request that puts one
    /// of them meanwhile sees that it is gone before it adds its row.
    ///
    /// - Returns: How many were removed.
    @discardableResult
    func removeFiles(_ names: [String]) async throws -> Int {
        guard !names.isEmpty else { return 0 }
        return try await database.commit { [files] db in
            try names.reduce(0) { count, name in
                guard try !Self.hasRow(name, db) else { return count }
                return count + (unlink("\(files.directory.chunks)/\(name)") == 0 ? 1 : 0)
            }
        }
    }

    static func hasRow(_ name: String, _ db: any StorageTransaction) throws -> Bool {
        guard let place = ChunkPlace(name: name) else { return false }
        return try db.exists(
            "SELECT 1 FROM chunk WHERE container = ? AND id = ? AND size = ?",
            [place.container, Data(place.id.bytes), place.size])
    }
}

extension ChunkPlace {
    fileprivate init(_ row: StorageRow) throws {
        guard let id = ChunkID(try row["id"] as Data) else {
            throw StorageError(.damaged, "The database has a chunk without a name.")
        }
        self.init(container: try row["container"], id: id, size: try row["size"])
    }
}
