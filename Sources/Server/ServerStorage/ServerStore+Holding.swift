import Chunking
import CloudModel
import ContainerLog
import Foundation
import GRDB
import Logging

/// What keeps chunks from being collected while somebody counts on them: a look at a chunk notes the hour, and for days after that it
/// is not collected, whether the log tells of it or not.
extension ServerStore {
    /// Rows are written at most so often for one chunk, in seconds; a collection leaves alone what was touched within a day at least.
    static let touchGranularity: Int64 = 3_600
    private static let step = 512

    /// Answers which of these are not there, and notes that the others are counted on.
    func hold(
        _ ids: [ChunkID], in name: ContainerName, of account: AccountID, onlyTrusted: Bool
    ) async throws -> [ChunkID] {
        let recent = now() - Self.touchGranularity
        let found = try await database.read { db in
            let container = try Self.requireContainer(name, account, db).id
            let rows = try ids.map { try Self.row(of: $0, in: container, db) }
            return (container, rows)
        }
        var (absent, stale): ([ChunkID], [ChunkID]) = ([], [])
        for (id, row) in zip(ids, found.1) {
            guard let row, row.isTrusted || !onlyTrusted else {
                absent.append(id)
                continue
            }
            if row.touched < recent { stale.append(id) }
        }
        return try await absent + touch(stale, in: found.0)
    }

    /// Answers those that are gone. Where the disk is too full to note anything nothing is collected either: a collection writes first.
    private func touch(_ ids: [ChunkID], in container: Int64) async throws -> [ChunkID] {
        var gone: [ChunkID] = []
        var rest = ids[...]
        let now = now()
        while !rest.isEmpty {
            let part = rest.prefix(Self.step)
            rest = rest.dropFirst(part.count)
            do {
                gone += try await database.commit { db in
                    try part.filter { id in
                        try db.cachedStatement(sql: "UPDATE chunk SET touched = ? WHERE container = ? AND id = ?")
                            .execute(arguments: [now, container, Data(id.bytes)])
                        return db.changesCount == 0
                    }
                }
            } catch let error as StorageError where error.code == .full {
                log.warning("that chunks are counted on was not noted: the disk is full")
            }
        }
        return gone
    }

    private struct Held: Sendable {
        let isTrusted: Bool
        let touched: Int64
    }

    private static func row(of id: ChunkID, in container: Int64, _ db: Database) throws -> Held? {
        let statement = try db.cachedStatement(
            sql: "SELECT isTrusted, touched FROM chunk WHERE container = ? AND id = ?")
        return try Row.fetchOne(statement, arguments: [container, Data(id.bytes)]).map {
            Held(isTrusted: $0[0], touched: $0[1])
        }
    }

    // MARK: What an entry tells of

    /// Throws `damaged` where an entry tells of bytes that are not here, so that the device sends them (again) first.
    func requireContents(of payload: [UInt8], in name: ContainerName, of account: AccountID) async throws {
        // What is no batch means nothing to anybody, and tells of nothing.
        guard let batch = try? ChangeBatch(decoding: payload) else { return }
        let absent = try await hold(batch.toldContents, in: name, of: account)
        guard absent.isEmpty else {
            throw StorageError(
                .damaged, "\(absent.count) chunks that the entry tells of are not here. Put them, then append it again."
            )
        }
    }

    /// Answers which chunks of these contents are not there, at least one if any is not, and notes that all others are counted on.
    func hold(
        _ contents: [ContentReference], in name: ContainerName, of account: AccountID
    ) async throws -> [ChunkID] {
        guard !contents.isEmpty else { return [] }
        var absent = try await hold(contents.map(\.digest), in: name, of: account, onlyTrusted: false)
        for content in contents where content.layout == .manifest && absent.isEmpty {
            guard let frame = try await frame(of: content.digest, in: name, account) else {
                absent = [content.digest]
                try await distrust(absent, in: name, of: account)
                break
            }
            // Bytes that are no manifest keep nothing: whoever reads the content finds that out.
            guard let manifest = try? Manifest(frame: frame, of: content) else { continue }
            absent = try await hold(manifest.chunks.map(\.id), in: name, of: account, onlyTrusted: false)
        }
        return absent
    }

    /// Nil where its file is gone or is not what was written.
    private func frame(of id: ChunkID, in name: ContainerName, _ account: AccountID) async throws -> [UInt8]? {
        guard let place = try await place(of: id, in: name, of: account) else { return nil }
        do { return try await read(place, 0..<place.size) } catch let error as StorageError {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }
}

extension ChangeBatch {
    /// The contents with bytes that these changes tell of, each once.
    var toldContents: [ContentReference] {
        let contents = changes.compactMap { change -> ContentReference? in
            switch change {
            case .create(_, _, _, _, let body): body.content?.reference
            case .edit(_, _, let content, _): content.reference
            case .move, .setAttributes, .delete, .resolve, .raiseRules, .setValue: nil
            }
        }
        return Array(Set(contents.filter { $0.layout != .empty }))
    }
}

extension Manifest {
    init(frame: [UInt8], of content: ContentReference) throws {
        try self.init(decoding: ChunkFrame.decode(frame, expecting: content.digest), size: content.size)
    }
}
