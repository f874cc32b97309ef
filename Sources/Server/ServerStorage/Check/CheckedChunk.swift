import CloudModel
import Foundation

/// The row of a chunk, as a check reads it.
struct CheckedChunk: Sendable {
    let place: ChunkPlace
    let isTrusted: Bool

    static func page(
        in container: Int64, after id: Data, limit: Int, _ db: any StorageTransaction
    ) throws -> [CheckedChunk] {
        try db.rows(
            "SELECT \(ChunkPlace.columns), isTrusted FROM chunk WHERE container = ? AND id > ? ORDER BY id LIMIT ?",
            [container, id, limit]
        ).map { try CheckedChunk(place: ChunkPlace($0), isTrusted: $0["isTrusted"]) }
    }

    /// Whether a row still promises these bytes.
    static func isPromised(_ place: ChunkPlace, _ db: any StorageTransaction) throws -> Bool {
        guard try ChunkStore.hasRow(place.name, db) else { return false }
        return try ChunkStore.isHeld(place.id, in: place.container, db)
    }
}
