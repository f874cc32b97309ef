import Chunking
import CloudModel
import Foundation
import GRDB
import Logging

/// Takes chunks that nothing needs any more: no item, no conflict, no version of the last days, no published link, no upload.
///
/// The row goes first, then the file, each while the database is locked for writing: a put that comes between finds that its file is
/// gone and writes it again. A death in between leaves a file without a row, which a later collection takes.
extension ServerStore {
    /// Goes through all containers in small steps. What can not be understood, such as the log of a newer version, is left alone.
    package func collect(
        _ policy: CollectionPolicy = .standard, pause: Duration = .milliseconds(20)
    ) async throws -> CollectionReport {
        var report = CollectionReport()
        for container in try await storedContainers() where !report.gaveWay {
            do {
                let fold = try await foldToEnd(container)
                try await mark(container, fold, policy)
                try await sweep(container, fold, policy, pause, &report)
                try await sweepStrays(container, pause, &report)
                report.containers += 1
            } catch let error where Self.concernsOneContainer(error) {
                report.skipped[container.id] = "\(error)"
                log.warning(
                    "the chunks of a container were not collected",
                    metadata: ["container": "\(container.id)", "why": "\(error)"])
            }
        }
        return report
    }

    /// All but the end of the server and a full disk, which concern every one: whatever one log has in it, the others are collected.
    private static func concernsOneContainer(_ error: any Error) -> Bool {
        !(error is CancellationError) && (error as? StorageError)?.code != .full
    }

    // MARK: Mark

    /// Notes the names of all chunks that contents need, in a table that goes with the connection.
    private func mark(_ container: StoredContainer, _ fold: ContainerFold, _ policy: CollectionPolicy) async throws {
        let now = now()
        let since = policy.keptSince(now)
        let published = try await database.read { try Self.contentsHeldByLinks(in: container.id, at: now, $0) }
        let manifests = try await blocking { () throws -> [ContentReference] in
            try fold.queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        DROP TABLE IF EXISTS temp.needed;
                        CREATE TEMP TABLE needed (id BLOB PRIMARY KEY) WITHOUT ROWID;
                        """)
                var manifests: Set<ContentReference> = []
                try db.inTransaction {
                    try NeededContents(db).forEach(droppedSince: since, and: published) { content in
                        try NeededContents.add([content.digest], db)
                        if content.layout == .manifest { manifests.insert(content) }
                    }
                    return .commit
                }
                return Array(manifests)
            }
        }
        try await markChunks(of: Dictionary(grouping: manifests, by: \.digest), container, fold)
    }

    /// What the manifests of one container may inflate to in one collection, in bytes: those of some 60 TiB.
    private static let maximumMarked = 8 << 30

    /// Notes the chunks that manifests name, each read once whatever sizes entries give it.
    /// Throws `damaged` where it can not be known: then nothing may go.
    private func markChunks(
        of manifests: [Digest: [ContentReference]], _ container: StoredContainer, _ fold: ContainerFold
    ) async throws {
        var inflated = 0
        for (digest, contents) in manifests {
            try Task.checkCancellation()
            let row = try await database.read { db in
                try Row.fetchOne(
                    db, sql: "SELECT size, content FROM chunk WHERE container = ? AND id = ?",
                    arguments: [container.id, Data(digest.bytes)]
                ).map { (size: $0[0] as Int, content: $0[1] as Int64?) }
            }
            // No device can read that content, so nothing of it is needed before it is put again, with all its chunks.
            guard let row else { continue }
            let sizes = Set(contents.map { Int64(clamping: $0.size) })
            // Nor one of another size than what its chunks make.
            if let known = row.content, !sizes.contains(known) { continue }
            let place = ChunkPlace(container: container.id, id: digest, size: row.size)
            inflated += try await markChunks(of: place, sizes, container, fold)
            guard inflated <= Self.maximumMarked else {
                throw StorageError(.damaged, "The lists of chunks of a container are longer than a collection reads.")
            }
        }
    }

    /// - Returns: How many bytes the manifest has.
    private func markChunks(
        of place: ChunkPlace, _ sizes: Set<Int64>, _ container: StoredContainer, _ fold: ContainerFold
    ) async throws -> Int {
        // The server's own turns, which no account can take.
        let turns = AccountID(-container.account.value)
        var number = 0
        while true {
            // From the disk at first: what is not there any more, no memory of it makes good.
            switch try await manifests.read(place, for: turns, mustRead: number == 0) {
            case .unreadable:
                throw StorageError(.damaged, "A list of chunks can not be read, so it is not known which are needed.")
            case .none: return place.size
            case .list(let list):
                guard number < list.partCount, sizes.contains(Int64(clamping: list.size)) else { return list.memory }
                let ids = list.part(number).chunks.map(\.id)
                try await blocking { try fold.queue.write { try NeededContents.add(ids, $0) } }
                number += 1
            }
        }
    }

    // MARK: Sweep

    private func sweep(
        _ container: StoredContainer, _ fold: ContainerFold, _ policy: CollectionPolicy, _ pause: Duration,
        _ report: inout CollectionReport
    ) async throws {
        let cutoff = policy.touchedSince(now())
        var position = Data()
        while true {
            try Task.checkCancellation()
            let after = position
            let old = try await database.read { db in
                try Row.fetchAll(
                    db,
                    sql:
                        "SELECT id, size FROM chunk WHERE container = ? AND id > ? AND touched < ? ORDER BY id LIMIT 256",
                    arguments: [container.id, after, cutoff]
                ).map { (id: $0["id"] as Data, size: $0["size"] as Int) }
            }
            guard let last = old.last else { return }
            position = last.id
            let garbage = try await blocking {
                try fold.queue.read { db in try old.filter { try !NeededContents.contains($0.id, db) } }
            }
            let places = garbage.compactMap { row in
                ChunkID(row.id).map { ChunkPlace(container: container.id, id: $0, size: row.size) }
            }
            guard try await take(places, of: container.account, touchedBefore: cutoff, &report) else {
                report.gaveWay = true
                return
            }
            try await Task.sleep(for: pause)
        }
    }

    /// False while a backup copies chunks.
    private func take(
        _ places: [ChunkPlace], of account: AccountID, touchedBefore cutoff: Int64, _ report: inout CollectionReport
    ) async throws -> Bool {
        guard !places.isEmpty else { return true }
        guard let lock = try CopyLock.collecting(directory) else { return false }
        defer { lock.release() }
        // Touched since it was looked at: a device relies on it now.
        let gone = try await database.commit { db in
            try places.filter { place in
                try db.execute(
                    sql: "DELETE FROM chunk WHERE container = ? AND id = ? AND touched < ?",
                    arguments: [place.container, Data(place.id.bytes), cutoff])
                guard db.changesCount > 0 else { return false }
                try Self.use(-StorageCost.chunk(place.size), of: account, db)
                return true
            }
        }
        try await removeFiles(gone.map(\.name))
        report.chunks += gone.count
        report.bytes += gone.reduce(0) { $0 + UInt64($1.size) }
        return true
    }
}
