import CloudModel
import Foundation

/// Compares a server's database with its actual data, while the server works.
///
/// A finding is verified in a separate transaction before it counts, because chunks come and go meanwhile: a chunk's
/// bytes exist before its row, and after it.
struct ServerCheck: Sendable {
    let store: ServerStore
    let options: CheckOptions
    let progress: @Sendable (StorageReport) throws -> Void

    /// A container, by number and by names.
    private struct Container: Sendable {
        let id: Int64
        let name: String
        let account: String
    }

    private static let page = 256

    func run() async throws -> StorageReport {
        var report = StorageReport()
        let (accounts, containers, total) = try await store.database.read { db in
            let accounts = try db.rows("SELECT id, name FROM account ORDER BY id").map {
                (id: try $0[0] as Int64, name: try $0[1] as String)
            }
            // A name with a slash: the container is being removed.
            let containers = try db.rows(
                """
                SELECT container.id, container.name, account.name FROM container
                JOIN account ON account.id = container.account WHERE container.name NOT LIKE '/%' ORDER BY container.id
                """
            ).map { try Container(id: $0[0], name: $0[1], account: $0[2]) }
            return (accounts, containers, try ChunkStore.count(db))
        }
        report.totalChunks = total
        for account in accounts { try await checkSum(of: account.id, account.name, &report) }
        for container in containers {
            try Task.checkCancellation()
            try await checkLog(of: container, &report)
            try await checkChunks(of: container, &report)
        }
        report.accounts = accounts.count
        try await StrayCheck(store: store, repairs: options.repairs).run(&report)
        report.isComplete = true
        try progress(report)
        return report
    }

    // MARK: Sums

    private func checkSum(of account: Int64, _ name: String, _ report: inout StorageReport) async throws {
        let sums = try await store.database.read { try AccountSums(of: account, $0) }
        // The account was removed meanwhile.
        guard let sums else { return }
        guard !sums.isRight else { return }
        if options.repairs { try await store.database.commit { try AccountSums(of: account, $0)?.repair($0) } }
        report.add(
            StorageReport.Finding(
                kind: .wrongSum, account: name, container: nil, what: sums.description, isRepaired: options.repairs))
    }

    // MARK: Logs

    private func checkLog(of container: Container, _ report: inout StorageReport) async throws {
        let found = try await store.database.read { db -> (count: UInt64, problem: String?)? in
            let end = try db.value(Int64.self, "SELECT sequence FROM container WHERE id = ?", [container.id])
            guard let end else { return nil }
            let row = try db.row(
                "SELECT COUNT(*), MIN(sequence), MAX(sequence) FROM entry WHERE container = ?", [container.id])
            guard let row else { return nil }
            let (count, first, last): (Int64, Int64?, Int64?) = (try row[0], try row[1], try row[2])
            let isWhole = count == end && (count == 0 || (first == 1 && last == end))
            let problem = isWhole ? nil : try Self.describe(container.id, end: end, last: last ?? 0, db)
            return (UInt64(clamping: count), problem)
        }
        guard let found else { return }
        report.containers += 1
        report.entries += found.count
        guard let problem = found.problem else { return }
        report.add(
            StorageReport.Finding(kind: .logGap, account: container.account, container: container.name, what: problem))
    }

    /// Names the first missing entry of a log.
    private static func describe(
        _ container: Int64, end: Int64, last: Int64, _ db: any StorageTransaction
    ) throws -> String {
        if last > end { return "the log ends at \(end), and has entries up to \(last)" }
        var expected: Int64 = 1
        try db.forEachRow("SELECT sequence FROM entry WHERE container = ? ORDER BY sequence", [container]) { row in
            guard try row[0] == expected else { return false }
            expected += 1
            return true
        }
        return "entry \(expected) of \(end) is missing"
    }

    // MARK: Chunks

    private func checkChunks(of container: Container, _ report: inout StorageReport) async throws {
        var position = Data()
        while true {
            try Task.checkCancellation()
            let rows = try await store.database.read { [position] db in
                try CheckedChunk.page(in: container.id, after: position, limit: Self.page, db)
            }
            guard let last = rows.last else { return }
            position = Data(last.place.id.bytes)
            report.chunks += rows.count
            report.awaitedChunks += rows.count { !$0.isTrusted }
            let states = try await ChunkInspection(chunks: store.chunks, reads: options.reads)
                .states(of: rows.filter(\.isTrusted).map(\.place))
            report.readBytes += states.readBytes
            for (place, state) in states.damaged {
                try await add(place, state, container, &report)
            }
            try progress(report)
        }
    }

    /// Records a chunk that seemed lost or damaged, if its row still promises it and it still is.
    private func add(
        _ place: ChunkPlace, _ kind: StorageReport.Finding.Kind, _ container: Container, _ report: inout StorageReport
    ) async throws {
        guard try await isPromised(place) else { return }
        let again = try await ChunkInspection(chunks: store.chunks, reads: options.reads).states(of: [place])
        guard again.damaged[place] != nil, try await isPromised(place) else { return }
        if options.repairs {
            // Devices are asked for it again, as for a chunk found damaged by a reader.
            try await store.database.commit { db in
                if try CheckedChunk.isPromised(place, db) { try ChunkStore.distrust(place, db) }
            }
        }
        report.add(
            StorageReport.Finding(
                kind: kind, account: container.account, container: container.name, what: "\(place.id)",
                isRepaired: options.repairs))
    }

    private func isPromised(_ place: ChunkPlace) async throws -> Bool {
        try await store.database.read { try CheckedChunk.isPromised(place, $0) }
    }
}

/// Options of a check.
package struct CheckOptions: Hashable, Sendable {
    /// Whether to read every chunk's bytes, instead of only its size.
    package var reads: Bool
    package var repairs: Bool

    package init(reads: Bool = false, repairs: Bool = false) {
        self.reads = reads
        self.repairs = repairs
    }
}

extension ServerStore {
    /// Compares rows with chunks, logs with their ends and sums with their items. Processes may serve meanwhile.
    ///
    /// - Parameter progress: Called periodically with the findings so far. Throwing from it ends the check.
    package func checkStorage(
        _ options: CheckOptions = CheckOptions(),
        progress: @escaping @Sendable (StorageReport) throws -> Void = { _ in }
    ) async throws -> StorageReport {
        try await ServerCheck(store: self, options: options, progress: progress).run()
    }
}
