import Basics
import CloudModel
import S3Client

/// Objects without a row, and epochs.
extension ChunkBucket {
    /// The most objects per page of a listing, and per deletion request.
    private static let page = 1_000

    func epoch(_ db: any StorageTransaction) throws -> Int64? { try Self.currentEpoch(db) }

    private static func currentEpoch(_ db: any StorageTransaction) throws -> Int64 {
        // No row: nothing has been swept yet.
        max(0, try db.value(Int64.self, "SELECT epoch FROM bucket WHERE one = 1") ?? 0)
    }

    func stays(_ place: ChunkPlace, in epoch: Int64?) -> Bool {
        guard let epoch, let suffix = place.suffix else { return false }
        return suffix.epoch >= epoch - 1
    }

    /// Begins an epoch. From now on no row is added for an object of an epoch before the previous one.
    ///
    /// - Returns: The epoch before which objects are settled.
    func beginSweep() async throws -> Int64 {
        try await requireOwner()
        return try await database.commit { db in
            try db.execute("UPDATE bucket SET epoch = epoch + 1 WHERE one = 1")
            return try Self.currentEpoch(db) - 1
        }
    }

    func forEachName(
        in containers: [Int64], settledBefore mark: Int64?, _ visit: ([String]) async throws -> Bool
    ) async throws {
        try await requireOwner()
        let folder = "\(root)chunks/"
        var last: String?
        while true {
            try Task.checkCancellation()
            let page = try await translating { [last] in
                try await self.client.list(folder, after: last, limit: Self.page).map(\.key)
            }
            last = page.last
            let names = page.map { String($0.dropFirst(folder.count)) }.filter { name in
                // Objects with names of a different form are not this version's to remove.
                guard let suffix = ChunkPlace(name: name)?.suffix else { return false }
                return mark.map { suffix.epoch < $0 } ?? true
            }
            if !names.isEmpty, try await !visit(names) { return }
            guard page.count == Self.page else { return }
        }
    }

    /// Commits are serializable, and this commit follows that of ``beginSweep()``: it sees every row that will ever
    /// refer to a settled object.
    func remove(_ names: [String], in database: any StorageDatabase) async throws -> Int {
        guard !names.isEmpty else { return 0 }
        try await requireOwner()
        let strays = try await database.commit { db in
            try names.filter { try !ChunkStore.hasRow($0, db) }
        }
        try await translating { try await self.client.delete(strays.map { "\(self.root)chunks/\($0)" }) }
        return strays.count
    }

    func removeAll(of container: Int64) async throws {
        try await requireOwner()
        let folder = "\(root)chunks/\(container)/"
        var last: String?
        while true {
            try Task.checkCancellation()
            let page = try await translating { [last] in
                let keys = try await self.client.list(folder, after: last, limit: Self.page).map(\.key)
                try await self.client.delete(keys)
                return keys
            }
            last = page.last
            guard page.count == Self.page else { return }
        }
    }
}
