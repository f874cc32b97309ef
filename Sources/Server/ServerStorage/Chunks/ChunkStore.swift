import Basics
import Chunking
package import CloudModel
package import CloudProtocol
import Foundation
import Logging
import NIOPosix

/// Chunks. Each row refers to exactly one complete frame. Rows are added after frames and removed before them.
package struct ChunkStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    let log: Logger
    var objects: any ChunkObjects
    /// For blocking calls to the disk.
    let threads: NIOThreadPool
    let manifests: ManifestService
    let verifier: ChunkVerifier
    let bulk: BulkTurns
    let uploads: UnfinishedUploads

    /// Stores chunks; existing ones stay as they are. On return all are durable.
    package func put(_ parts: [ChunkBatch.Part], in name: ContainerName, of account: AccountID) async throws {
        guard parts.allSatisfy({ $0.frame.count <= CloudLimits.frame }) else {
            throw StorageError(.tooLarge, "A chunk may have at most \(CloudLimits.frame) bytes.")
        }
        // One file for each name. Parts of one name hold the same bytes, or the first of them is refused.
        let parts = Dictionary(parts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        try await verifier.check(Array(parts.values), for: account)
        var lacking = try await missing(Array(parts.keys), in: name, of: account)
        // A further round is needed only if a collection removed, or is about to remove, a frame that had no row yet.
        for _ in 0..<Self.putRounds where !lacking.isEmpty {
            lacking = try await write(lacking.compactMap { parts[$0] }, in: name, of: account)
        }
        guard lacking.isEmpty else { throw StorageError(.failed, "The chunks could not be stored; try again.") }
    }

    private static let putRounds = 3

    /// - Returns: The chunks whose frames a collection removes before their rows were added.
    private func write(
        _ parts: [ChunkBatch.Part], in name: ContainerName, of account: AccountID
    ) async throws -> [ChunkID] {
        let wanted = try await database.read { [objects] db in
            let container = try LogStore.requireContainer(name, account, db).id
            try AccountStore.reserve(parts.reduce(0) { $0 + StorageCost.chunk($1.frame.count) }, of: account, db)
            let epoch = try objects.epoch(db)
            return parts.map {
                let place = ChunkPlace(container: container, id: $0.id, size: $0.frame.count)
                return (place: place.renewed(in: epoch), frame: $0.frame)
            }
        }
        // A bucket takes any number of concurrent frames, a disk does not.
        try await bulk.files(objects.isLocal ? wanted.count : 0, of: account) { try await objects.write(wanted) }
        // The frames first: a row promises a frame.
        return try await record(wanted.map(\.place), in: name, of: account)
    }

    /// Adds the rows of written frames.
    ///
    /// - Returns: The chunks whose frames a collection removes.
    private func record(
        _ places: [ChunkPlace], in name: ContainerName, of account: AccountID
    ) async throws -> [ChunkID] {
        guard let known = places.first?.container else { return [] }
        let now = now()
        return try await bulk.rows(places.count, of: account) {
            try await uploads.noting(known, at: now) { isDue in
                try await database.commit(of: account) { [objects] db in
                    // The container may have been removed, or replaced by another of its name, since the frames were
                    // written.
                    let container = try LogStore.requireContainer(name, account, db).id
                    guard places.allSatisfy({ $0.container == container }) else { return places.map(\.id) }
                    if isDue { try UnfinishedUploads.note(container, at: now, db) }
                    let epoch = try objects.epoch(db)
                    return try places.filter { place in
                        try !Self.record(place, of: account, now, db) { objects.stays($0, in: epoch) }
                    }.map(\.id)
                }
            }
        }
    }

    /// Returns the missing chunks. The rest are protected from collection for some time.
    package func missing(_ ids: [ChunkID], in name: ContainerName, of account: AccountID) async throws -> [ChunkID] {
        try await hold(ids, in: name, of: account, onlyTrusted: true)
    }

    /// Marks chunks found damaged by a reader; they count as missing until they are put again.
    package func distrust(_ ids: [ChunkID], in name: ContainerName, of account: AccountID) async throws {
        for start in stride(from: 0, to: ids.count, by: BulkTurns.small) {
            try Task.checkCancellation()
            let part = ids[start..<min(start + BulkTurns.small, ids.count)]
            try await bulk.rows(ids.count, of: account) {
                // Names of no chunk cost no write.
                let known = try await database.read { db in
                    let container = try LogStore.requireContainer(name, account, db).id
                    return try part.filter { try Self.isHeld($0, in: container, db) }
                }
                guard !known.isEmpty else { return }
                try await database.commit(of: account) { db in
                    let container = try LogStore.requireContainer(name, account, db).id
                    for id in known {
                        try db.execute(
                            "UPDATE chunk SET isTrusted = 0 WHERE container = ? AND id = ?",
                            [container, Data(id.bytes)])
                    }
                }
            }
        }
    }

    /// Marks a chunk unusable for a reader, if its frame's bytes do not match its name. An entry's description of a
    /// chunk does not count against the chunk.
    package func distrust(ifWrong part: ChunkBatch.Part, in name: ContainerName, of account: AccountID) async throws {
        do { try await verifier.check([part], for: account) } catch let error as StorageError
            where error.code == .invalid
        {
            try await distrust([part.id], in: name, of: account)
        }
    }

    /// Returns the place and the size of a chunk's frame; nil if there is none.
    package func place(of id: ChunkID, in name: ContainerName, of account: AccountID) async throws -> ChunkPlace? {
        try await database.read { db in
            let container = try LogStore.requireContainer(name, account, db).id
            return try db.row(
                "SELECT \(ChunkPlace.columns) FROM chunk WHERE container = ? AND id = ?", [container, Data(id.bytes)]
            ).map(ChunkPlace.init)
        }
    }

    /// Reads a range of a chunk's frame; nil if the frame is missing.
    package func read(_ place: ChunkPlace, _ range: Range<Int>) async throws -> [UInt8]? {
        try await objects.read(place, range)
    }

    /// Returns a temporary URL for reading a chunk's frame without authentication; nil if only the server can read it.
    package func link(to place: ChunkPlace, for lifetime: Duration) async throws -> String? {
        try await objects.link(to: place, for: lifetime)
    }

    static func isHeld(_ id: ChunkID, in container: Int64, _ db: any StorageTransaction) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM chunk WHERE container = ? AND id = ? AND isTrusted = 1", [container, Data(id.bytes)])
    }

    /// Adds a chunk's row. If another request has put the chunk meanwhile, that frame counts. Returns false if the
    /// frame does not stay.
    private static func record(
        _ place: ChunkPlace, of account: AccountID, _ now: Int64, _ db: any StorageTransaction,
        stays: (ChunkPlace) -> Bool
    ) throws -> Bool {
        if try isHeld(place.id, in: place.container, db) { return true }
        guard stays(place) else { return false }
        let id = Data(place.id.bytes)
        let known = try db.value(
            Int.self, "SELECT size FROM chunk WHERE container = ? AND id = ?", [place.container, id])
        try AccountStore.reserve(StorageCost.chunk(place.size), of: account, db)
        try db.execute(
            """
            INSERT INTO chunk (container, id, size, touched, object) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (container, id) DO UPDATE SET size = excluded.size, isTrusted = 1, touched = excluded.touched,
                content = NULL, held = 0, object = excluded.object
            """, [place.container, id, place.size, now, place.suffix?.text])
        try AccountStore.use(
            StorageCost.chunk(place.size) - (known.map { StorageCost.chunk($0) } ?? 0), of: account, db)
        return true
    }
}
