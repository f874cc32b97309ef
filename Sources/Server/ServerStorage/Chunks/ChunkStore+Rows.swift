import CloudModel
import Foundation

/// Rows of chunks for the server's own work: a collection, a backup, the removal of a container.
extension ChunkStore {
    private static let page = 256

    /// Returns the recorded facts about a manifest; nil if there is no such chunk.
    func manifestRow(_ id: ChunkID, in container: Int64) async throws -> ManifestRow? {
        try await database.readOnce { db in
            try db.row(
                "SELECT \(ManifestRow.columns) FROM chunk WHERE container = ? AND id = ?", [container, Data(id.bytes)]
            ).map(ManifestRow.init)
        }
    }

    /// Returns how many times chunks of a container were removed. If a transaction finds the same number as before
    /// looking for chunks, they still exist.
    func removals(in name: ContainerName, of account: AccountID) async throws -> Int64 {
        try await database.readOnce { db in
            let number = try db.value(
                Int64.self, "SELECT removals FROM container WHERE account = ? AND name = ?", [account.value, name.text])
            guard let number else { throw LogStore.missing(name) }
            return number
        }
    }

    static func removals(of container: Int64, _ db: any StorageTransaction) throws -> Int64? {
        try db.value(Int64.self, "SELECT removals FROM container WHERE id = ?", [container])
    }

    func mark(of container: Int64) async throws -> CollectionMark? {
        try await database.readOnce { try CollectionMark.current(of: container, $0) }
    }

    /// Returns the existing chunks among these.
    func places(of ids: [ChunkID], in container: Int64) async throws -> [ChunkPlace] {
        var places: [ChunkPlace] = []
        for start in stride(from: 0, to: ids.count, by: Self.page) {
            places += try await database.read { db in
                try ids[start..<min(start + Self.page, ids.count)].compactMap {
                    try Self.place(of: $0, in: container, db)
                }
            }
        }
        return places
    }

    /// Returns a page of the chunks not relied on by a device since `cutoff`, ordered by id.
    func places(in container: Int64, after id: Data, touchedBefore cutoff: Int64) async throws -> [ChunkPlace] {
        try await database.read { db in
            try db.rows(
                """
                SELECT \(ChunkPlace.columns) FROM chunk WHERE container = ? AND id > ? AND touched < ?
                ORDER BY id LIMIT ?
                """,
                [container, id, cutoff, Self.page]
            ).map(ChunkPlace.init)
        }
    }

    /// Returns a page of all chunks of a server, ordered by container and id.
    ///
    /// - Parameter promised: Whether to leave out chunks counted as missing.
    static func places(
        after position: (container: Int64, id: Data), limit: Int, promised: Bool = false, _ db: any StorageTransaction
    ) throws -> [ChunkPlace] {
        try db.rows(
            """
            SELECT \(ChunkPlace.columns) FROM chunk WHERE (container, id) > (?, ?)\(promised ? " AND isTrusted = 1" : "")
            ORDER BY container, id LIMIT ?
            """,
            [position.container, position.id, limit]
        ).map(ChunkPlace.init)
    }

    /// Returns the place of a chunk; nil if it has no row.
    static func place(of id: ChunkID, in container: Int64, _ db: any StorageTransaction) throws -> ChunkPlace? {
        try db.row(
            "SELECT \(ChunkPlace.columns) FROM chunk WHERE container = ? AND id = ?", [container, Data(id.bytes)]
        ).map(ChunkPlace.init)
    }

    static func count(_ db: any StorageTransaction) throws -> Int {
        try db.value(Int.self, "SELECT COUNT(*) FROM chunk") ?? 0
    }

    static func frameBytes(of container: Int64, _ db: any StorageTransaction) throws -> UInt64 {
        UInt64(
            clamping: try db.value(
                Int64.self, "SELECT CAST(SUM(size) AS BIGINT) FROM chunk WHERE container = ?", [container]) ?? 0)
    }

    /// Removes the rows of chunks, except of those that a device has relied on since `cutoff`. An append that has
    /// looked for its chunks before looks again (``removals(in:of:)``).
    ///
    /// - Parameter mark: The state of the container when the chunks were found to be unneeded.
    /// - Returns: The chunks whose rows were removed; nil, removing none, if the container has changed since the mark.
    func removeRows(
        of places: [ChunkPlace], of account: AccountID, touchedBefore cutoff: Int64, ifStill mark: CollectionMark
    ) async throws -> [ChunkPlace]? {
        try await database.commit(of: account) { db in
            if let place = places.first {
                guard try CollectionMark.current(of: place.container, db) == mark else { return nil }
            }
            let removed = try places.filter { place in
                let removed = try db.execute(
                    "DELETE FROM chunk WHERE container = ? AND id = ? AND touched < ?",
                    [place.container, Data(place.id.bytes), cutoff])
                guard removed > 0 else { return false }
                try AccountStore.use(-StorageCost.chunk(place.size), of: account, db)
                return true
            }
            for container in Set(removed.map(\.container)) {
                try db.execute("UPDATE container SET removals = removals + 1 WHERE id = ?", [container])
            }
            return removed
        }
    }

    /// Removes up to `limit` rows of a container.
    ///
    /// - Returns: The number of removed rows, and their cost to the account.
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

    // MARK: Frames without a row

    /// Returns the names without a row.
    func withoutRow(_ names: [String]) async throws -> [String] {
        guard !names.isEmpty else { return [] }
        return try await database.read { db in try names.filter { try !Self.hasRow($0, db) } }
    }

    /// Removes frames still without a row.
    ///
    /// - Returns: How many were removed.
    @discardableResult
    func removeFrames(_ names: [String]) async throws -> Int {
        guard !names.isEmpty else { return 0 }
        return try await objects.remove(names, in: database)
    }

    static func hasRow(_ name: String, _ db: any StorageTransaction) throws -> Bool {
        guard let place = ChunkPlace(name: name) else { return false }
        return try Self.place(of: place.id, in: place.container, db) == place
    }
}
