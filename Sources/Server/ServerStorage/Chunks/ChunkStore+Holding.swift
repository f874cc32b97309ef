import Chunking
import CloudModel
import ContainerLog
import Foundation
import Logging

/// Keeps chunks from being collected while a device uploads: each query for a chunk records the time, and for some time
/// after that the chunk is not collected, whether the log refers to it or not (``UploadGrace``). That only saves
/// sending it again.
extension ChunkStore {
    private static let step = 512
    private static let question = 1_024

    /// Protects chunks from collection.
    ///
    /// - Returns: The missing chunks.
    func hold(
        _ ids: [ChunkID], in name: ContainerName, of account: AccountID, onlyTrusted: Bool
    ) async throws -> [ChunkID] {
        let recent = now() - UploadGrace.granularity
        var (absent, stale): ([ChunkID], [ChunkID]) = ([], [])
        var container: Int64 = 0
        // In steps, so that no query holds up other users of the database for long.
        for start in stride(from: 0, through: ids.count, by: Self.question) {
            try Task.checkCancellation()
            let part = ids[start..<min(start + Self.question, ids.count)]
            let found = try await bulk.rows(ids.count, of: account) {
                try await database.read { db in
                    let container = try LogStore.requireContainer(name, account, db).id
                    return (container, try part.map { try Self.row(of: $0, in: container, db) })
                }
            }
            container = found.0
            for (id, row) in zip(part, found.1) {
                guard let row, row.isTrusted || !onlyTrusted else {
                    absent.append(id)
                    continue
                }
                if row.touched < recent { stale.append(id) }
            }
        }
        return try await absent + touch(stale, in: container, of: account)
    }

    /// Records that the chunks are in use. If the disk is too full for that, nothing is collected either, because a
    /// collection writes first.
    ///
    /// - Returns: The chunks removed meanwhile.
    private func touch(_ ids: [ChunkID], in container: Int64, of account: AccountID) async throws -> [ChunkID] {
        var gone: [ChunkID] = []
        var rest = ids[...]
        let now = now()
        while !rest.isEmpty {
            let part = rest.prefix(Self.step)
            rest = rest.dropFirst(part.count)
            do {
                gone += try await bulk.rows(ids.count, of: account) {
                    try await uploads.noting(container, at: now) { isDue in
                        try await database.commit(of: account) { db in
                            if isDue { try UnfinishedUploads.note(container, at: now, db) }
                            return try part.filter { id in
                                let sql = "UPDATE chunk SET touched = ? WHERE container = ? AND id = ?"
                                return try db.execute(sql, [now, container, Data(id.bytes)]) == 0
                            }
                        }
                    }
                }
            } catch let error as StorageError where error.code == .full {
                log.warning("could not record the chunks that an upload uses: the disk is full")
            }
        }
        return gone
    }

    private struct Held: Sendable {
        let isTrusted: Bool
        let touched: Int64
    }

    private static func row(of id: ChunkID, in container: Int64, _ db: any StorageTransaction) throws -> Held? {
        try db.row("SELECT isTrusted, touched FROM chunk WHERE container = ? AND id = ?", [container, Data(id.bytes)])
            .map { try Held(isTrusted: $0[0], touched: $0[1]) }
    }

    // MARK: What an entry refers to

    /// Throws `damaged` if an entry refers to missing bytes, so that the device sends them (again) first.
    func requireContents(of batch: ChangeBatch, in name: ContainerName, of account: AccountID) async throws {
        let absent = try await hold(Array(batch.contents), in: name, of: account)
        guard absent.isEmpty else {
            throw StorageError(
                .damaged,
                "\(absent.count) chunks that the entry refers to are missing. Put them, then append it again."
            )
        }
    }

    /// Protects the chunks of these contents from collection.
    ///
    /// - Returns: The missing chunks, at least one if any is missing.
    /// - Throws: `invalid` if a content does not match its manifest, or its size not its layout.
    func hold(
        _ contents: [ContentReference], in name: ContainerName, of account: AccountID, onlyTrusted: Bool = false
    ) async throws -> [ChunkID] {
        guard !contents.isEmpty else { return [] }
        guard contents.allSatisfy({ $0.layout == .manifest || Manifest(within: $0) != nil }) else {
            throw StorageError(
                .invalid, "The layout of a content in the entry does not match its size. The entry was not stored.")
        }
        let digests = Array(Set(contents.map(\.digest)))
        let absent = try await hold(digests, in: name, of: account, onlyTrusted: onlyTrusted)
        guard absent.isEmpty else { return absent }
        let manifests = contents.filter { $0.layout == .manifest }
        return try await holdManifests(manifests, in: name, of: account, onlyTrusted: onlyTrusted)
    }
}
