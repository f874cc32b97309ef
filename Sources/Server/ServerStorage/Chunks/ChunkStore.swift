import Basics
import Chunking
package import CloudModel
package import CloudProtocol
import Foundation
import Logging
import NIOPosix

/// Chunks. Each row refers to exactly one complete file. Rows are added after files and removed before them.
package struct ChunkStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    let log: Logger
    let files: ChunkFiles
    /// For calls that block on the disk.
    let threads: NIOThreadPool
    let manifests: ManifestService
    let verifier: ChunkVerifier

    /// Stores chunks; existing ones stay as they are. On return all are durable.
    package func put(_ parts: [ChunkBatch.Part], in name: ContainerName, of account: AccountID) async throws {
        guard parts.allSatisfy({ $0.frame.count <= CloudLimits.frame }) else {
            throw StorageError(.tooLarge, "A chunk may have at most \(CloudLimits.frame) bytes.")
        }
        try await verifier.check(parts, for: account)
        // One file for each name: which of two parts of one name is kept does not matter.
        let parts = Dictionary(parts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var lacking = try await missing(Array(parts.keys), in: name, of: account)
        // Another round is needed only if a collection removed a file that had no row yet.
        for _ in 0..<Self.putRounds where !lacking.isEmpty {
            lacking = try await write(lacking.compactMap { parts[$0] }, in: name, of: account)
        }
        guard lacking.isEmpty else { throw StorageError(.failed, "The chunks could not be stored; try again.") }
    }

    private static let putRounds = 3

    /// - Returns: The chunks whose files a collection removed before their rows were added.
    private func write(
        _ parts: [ChunkBatch.Part], in name: ContainerName, of account: AccountID
    ) async throws -> [ChunkID] {
        let wanted = try await database.read { db in
            let container = try LogStore.requireContainer(name, account, db).id
            try AccountStore.reserve(parts.reduce(0) { $0 + StorageCost.chunk($1.frame.count) }, of: account, db)
            return parts.map {
                (place: ChunkPlace(container: container, id: $0.id, size: $0.frame.count), frame: $0.frame)
            }
        }
        try await threads.blocking { [files] in try files.write(wanted) }
        // The files first: a row promises a file.
        let now = now()
        return try await database.commit { [files] db in
            try wanted.compactMap { try Self.record($0.place, of: account, now, files, db) ? nil : $0.place.id }
        }
    }

    /// Returns the chunks that are missing. The others are protected from collection for as long as an upload may take.
    package func missing(_ ids: [ChunkID], in name: ContainerName, of account: AccountID) async throws -> [ChunkID] {
        try await hold(ids, in: name, of: account, onlyTrusted: true)
    }

    /// Marks chunks that a reader found damaged; they count as missing until they are put again.
    package func distrust(_ ids: [ChunkID], in name: ContainerName, of account: AccountID) async throws {
        try await database.commit { db in
            let container = try LogStore.requireContainer(name, account, db).id
            for id in ids {
                try db.execute(
                    "UPDATE chunk SET isTrusted = 0 WHERE container = ? AND id = ?", [container, Data(id.bytes)])
            }
        }
    }

    /// Returns the place and the size of a chunk's frame; nil if there is none.
    package func place(of id: ChunkID, in name: ContainerName, of account: AccountID) async throws -> ChunkPlace? {
        try await database.read { db in
            let container = try LogStore.requireContainer(name, account, db).id
            let size = try db.value(
                Int.self, "SELECT size FROM chunk WHERE container = ? AND id = ?", [container, Data(id.bytes)])
            return size.map { ChunkPlace(container: container, id: id, size: $0) }
        }
    }

    /// Reads a range of a chunk's frame; nil if its file is missing.
    package func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]? {
        try await threads.blocking { [files] in try files.read(place, range) }
    }

    static func isHeld(_ id: ChunkID, in container: Int64, _ db: any StorageTransaction) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM chunk WHERE container = ? AND id = ? AND isTrusted = 1", [container, Data(id.bytes)])
    }

    /// Adds a chunk's row. If another request has put the chunk meanwhile, that file counts. Returns false if the file is gone.
    private static func record(
        _ place: ChunkPlace, of account: AccountID, _ now: Int64, _ files: ChunkFiles, _ db: any StorageTransaction
    ) throws -> Bool {
        if try isHeld(place.id, in: place.container, db) { return true }
        // Files without a row are removed under the lock of this transaction, so a file that is seen here stays.
        guard files.exists(place) else { return false }
        let id = Data(place.id.bytes)
        let known = try db.value(
            Int.self, "SELECT size FROM chunk WHERE container = ? AND id = ?", [place.container, id])
        try AccountStore.reserve(StorageCost.chunk(place.size), of: account, db)
        try db.execute(
            """
            INSERT INTO chunk (container, id, size, touched) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET size = excluded.size, isTrusted = 1, touched = excluded.touched,
                content = NULL, held = 0
            """, [place.container, id, place.size, now])
        try AccountStore.use(
            StorageCost.chunk(place.size) - (known.map { StorageCost.chunk($0) } ?? 0), of: account, db)
        return true
    }
}
