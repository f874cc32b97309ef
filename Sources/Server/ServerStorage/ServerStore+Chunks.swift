package import CloudModel
package import CloudProtocol
import Foundation
import GRDB

extension ServerStore {
    /// Keeps chunks; those that are there already stay as they are. On return all are on the disk.
    package func put(_ parts: [ChunkBatch.Part], in name: ContainerName, of account: AccountID) async throws {
        guard parts.allSatisfy({ $0.frame.count <= CloudLimits.frame }) else {
            throw StorageError(.tooLarge, "A chunk has at most \(CloudLimits.frame) bytes.")
        }
        // One file for each name: which of two parts of one name is kept does not matter.
        let parts = Array(Dictionary(parts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }).values)
        let wanted = try await database.read { db in
            let container = try Self.requireContainer(name, account, db).id
            let new = try parts.filter { try !Self.isHeld($0.id, in: container, db) }
            try Self.reserve(new.reduce(0) { $0 + $1.frame.count }, of: account, db)
            return new.map {
                (place: ChunkPlace(container: container, id: $0.id, size: $0.frame.count), frame: $0.frame)
            }
        }
        guard !wanted.isEmpty else { return }
        try await blocking { [files] in try files.write(wanted) }
        // The files first: a row promises a file.
        try await database.commit { db in
            for (place, _) in wanted { try Self.record(place, of: account, db) }
        }
    }

    /// Which of these are not there.
    package func missing(_ ids: [ChunkID], in name: ContainerName, of account: AccountID) async throws -> [ChunkID] {
        try await database.read { db in
            let container = try Self.requireContainer(name, account, db).id
            return try ids.filter { try !Self.isHeld($0, in: container, db) }
        }
    }

    /// Chunks that somebody found damaged count as missing until they are put again.
    package func distrust(_ ids: [ChunkID], in name: ContainerName, of account: AccountID) async throws {
        try await database.commit { db in
            let container = try Self.requireContainer(name, account, db).id
            for id in ids {
                try db.execute(
                    sql: "UPDATE chunk SET isTrusted = 0 WHERE container = ? AND id = ?",
                    arguments: [container, Data(id.bytes)])
            }
        }
    }

    /// Where a chunk's frame is, and how long; nil where there is none.
    package func place(of id: ChunkID, in name: ContainerName, of account: AccountID) async throws -> ChunkPlace? {
        try await database.read { db in
            let container = try Self.requireContainer(name, account, db).id
            let size = try Int.fetchOne(
                db, sql: "SELECT size FROM chunk WHERE container = ? AND id = ?",
                arguments: [container, Data(id.bytes)])
            return size.map { ChunkPlace(container: container, id: id, size: $0) }
        }
    }

    /// So many bytes of a chunk's frame; nil when its file is gone.
    package func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]? {
        try await blocking { [files] in try files.read(place, range) }
    }

    static func isHeld(_ id: ChunkID, in container: Int64, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM chunk WHERE container = ? AND id = ? AND isTrusted = 1")
        return try Int.fetchOne(statement, arguments: [container, Data(id.bytes)]) != nil
    }

    /// Another request may have put the chunk meanwhile; then its file is the one that counts.
    private static func record(_ place: ChunkPlace, of account: AccountID, _ db: Database) throws {
        let id = Data(place.id.bytes)
        let known = try Row.fetchOne(
            db, sql: "SELECT size, isTrusted FROM chunk WHERE container = ? AND id = ?",
            arguments: [place.container, id])
        if let known, known["isTrusted"] as Bool { return }
        try reserve(place.size, of: account, db)
        try db.execute(
            sql: """
                INSERT INTO chunk (container, id, size) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET size = excluded.size, isTrusted = 1
                """, arguments: [place.container, id, place.size])
        try use(place.size - (known.map { $0["size"] as Int } ?? 0), of: account, db)
    }
}
