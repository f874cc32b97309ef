import Basics
import CloudModel
import Foundation
package import Logging
import S3Client

/// Moves all of a server's data to another place. Its devices continue there with their existing tokens and clouds.
///
/// First all rows are copied, in an order with a row after those that it refers to, and compared with the source's.
/// Then the bytes of all chunks named by the target's rows are copied, and verified at the end. Each page is durable
/// before the next, with the position behind it, so the migration continues after any interruption.
///
/// Marks in both databases (``MigrationMark``) keep either end from being served meanwhile. At the end the source's
/// mark says that its data was moved, before the target's allows serving: so at no moment can both be served, because
/// both have the same clouds.
package struct ServerMigration: Sendable {
    private let source: MigrationPlace
    private let target: MigrationPlace
    private let progress: @Sendable (MigrationReport) throws -> Void
    private static let page = 256

    /// Moves a server, or continues a migration.
    ///
    /// - Parameter progress: Called after each step with this run's work so far. Throwing from it interrupts the
    ///   migration.
    /// - Throws: ``StorageError``; `inUse` while one of the places is served, `invalid` for a target with different
    ///   data.
    package static func run(
        from source: ServerPlace, to target: ServerPlace, log: Logger,
        progress: @escaping @Sendable (MigrationReport) throws -> Void = { _ in }
    ) async throws -> MigrationReport {
        try await run(from: source, to: target, log: log, buckets: (nil, nil), progress: progress)
    }

    /// - Parameter buckets: The clients for the buckets of the source and of the target.
    static func run(
        from source: ServerPlace, to target: ServerPlace, log: Logger, buckets: (S3Client?, S3Client?),
        progress: @escaping @Sendable (MigrationReport) throws -> Void
    ) async throws -> MigrationReport {
        guard !source.isSame(as: target) else {
            throw StorageError(.invalid, "Both places are \(source). Name another one to move the server to.")
        }
        return try await with(MigrationPlace(source, mayCreate: false, log: log, bucket: buckets.0)) { from in
            try await with(MigrationPlace(target, mayCreate: true, log: log, bucket: buckets.1)) { to in
                try await ServerMigration(source: from, target: to, progress: progress).run()
            }
        }
    }

    /// Makes the source of a migration usable again. Devices that have seen later data notice it by their positions.
    ///
    /// - Returns: Whether it had been moved completely.
    /// - Throws: `invalid` if nothing was moved from there.
    package static func cancel(from place: ServerPlace, log: Logger) async throws -> Bool {
        try await with(MigrationPlace(place, mayCreate: false, log: log, bucket: nil)) { source in
            try await source.database.commit { db in
                guard let mark = try MigrationMark.read(db), [.source, .moved].contains(mark.role) else {
                    throw StorageError(.invalid, "No data is being moved, or was moved, from \(place).")
                }
                try MigrationMark.remove(db)
                return mark.role == .moved
            }
        }
    }

    private static func with<T>(
        _ place: MigrationPlace, _ body: (MigrationPlace) async throws -> T
    ) async throws -> T {
        do {
            let result = try await body(place)
            try place.close()
            return result
        } catch {
            // Only the first error matters; locks are released in any case.
            try? place.close()
            throw error
        }
    }

    // MARK: Steps

    private func run() async throws -> MigrationReport {
        var report = MigrationReport()
        guard var mark = try await begin() else {
            report.rows = try await counts()
            return report
        }
        while mark.position != .complete {
            try Task.checkCancellation()
            let position = mark.position ?? Self.start
            mark.position = try await step(from: position, mark, &report)
            try progress(report)
        }
        let moved = MigrationMark(id: mark.id, role: .moved, other: target.name)
        try await source.database.commit { try moved.replace($0) { $0?.id == moved.id } }
        try progress(report)
        let arrived = MigrationMark(id: mark.id, role: .arrived, other: source.name)
        try await target.database.commit { [mark] in try arrived.replace($0) { $0 == mark } }
        report.rows = try await counts()
        return report
    }

    private static let start = MigrationPosition.rows(table: StoredTable.all[0].name, after: nil)

    /// Decides where to begin, and marks both ends. On return neither can be served.
    ///
    /// - Returns: The target's mark; nil if the migration is complete.
    private func begin() async throws -> MigrationMark? {
        let before = try await source.database.read { try MigrationMark.read($0) }
        let (there, isEmpty) = try await target.database.read { db in
            (try MigrationMark.read(db), try StoredTable.all.allSatisfy { try !db.exists("SELECT 1 FROM \($0.name)") })
        }
        switch MigrationStart(source: before, target: there, targetIsEmpty: isEmpty) {
        case .refuse(let reason): throw reason.error(from: source.name, to: target.name)
        case .done: return nil
        case .resume(let mark), .finish(let mark): return mark
        case .begin(let id):
            // An unusable bucket must not leave a source that is not served.
            _ = try await target.objects.keep(generation: target.objects.generation() ?? 0)
            let id = id ?? AccountStore.randomIdentity()
            try await source.mark(MigrationMark(id: id, role: .source, other: target.name), after: before)
            try progress(MigrationReport())
            let arriving = MigrationMark(id: id, role: .target, other: source.name, position: Self.start)
            try await target.mark(arriving, after: there)
            return arriving
        }
    }

    /// Performs the step after `position`.
    ///
    /// - Returns: The durable position behind it.
    private func step(
        from position: MigrationPosition, _ mark: MigrationMark, _ report: inout MigrationReport
    ) async throws -> MigrationPosition {
        switch position {
        case .rows(let name, let after): return try await copyRows(of: name, after: after, mark, &report)
        case .compared:
            try await compare()
            return try await commit(.chunks(container: 0, after: Data()), mark)
        case .chunks(let container, let after):
            return try await copyChunks(after: (container, after), mark, &report)
        case .verified(let container, let end):
            return try await verifyChunks(after: (container, end), mark, &report)
        case .complete: return .complete
        }
    }

    private func commit(
        _ position: MigrationPosition, _ mark: MigrationMark,
        with body: @escaping @Sendable (any StorageTransaction) throws -> Void = { _ in }
    ) async throws -> MigrationPosition {
        var next = mark
        next.position = position
        try await target.database.commit { [next] db in
            try next.replace(db) { $0 == mark }
            try body(db)
        }
        return position
    }

    // MARK: Rows

    private func copyRows(
        of name: String, after start: [StorageValue]?, _ mark: MigrationMark, _ report: inout MigrationReport
    ) async throws -> MigrationPosition {
        guard let index = StoredTable.all.firstIndex(where: { $0.name == name }) else {
            throw StorageError(.tooNew, "A newer version of ubiquity-server began this migration. Use that one.")
        }
        let table = StoredTable.all[index]
        let page = try await source.database.read { try StoredPage(of: table, after: start, $0) }
        report.copiedRows += UInt64(page.rows.count)
        if let end = page.end {
            return try await commit(.rows(table: name, after: end), mark) { try page.insert(into: table, $0) }
        }
        let last = table.isNumbered ? try await source.database.read { try $0.lastNumber(of: table.name) } : 0
        let isLast = index + 1 == StoredTable.all.count
        let next = isLast ? .compared : MigrationPosition.rows(table: StoredTable.all[index + 1].name, after: nil)
        return try await commit(next, mark) { db in
            if table.isNumbered { try db.skipNumbers(of: table.name, to: last) }
        }
    }

    /// Compares the rows of both ends.
    ///
    /// - Throws: `damaged` for a differing table.
    private func compare() async throws {
        for table in StoredTable.all {
            async let there = Self.sum(of: table, in: target.database)
            let (here, other) = (try await Self.sum(of: table, in: source.database), try await there)
            guard here == other else {
                throw StorageError(
                    .damaged,
                    """
                    The table \(table.name) has \(here.rows) rows in \(source.name) and \(other.rows) in \(target.name), or \
                    they differ. Empty the target, run `ubiquity-server migrate` with --cancel instead of the target, and \
                    begin again; the source is unchanged.
                    """)
            }
        }
    }

    private static func sum(of table: StoredTable, in database: any StorageDatabase) async throws -> TableSum {
        var sum = TableSum()
        var end: [StorageValue]?
        repeat {
            try Task.checkCancellation()
            let page = try await database.read { [end] in try StoredPage(of: table, after: end, $0) }
            sum.add(page)
            end = page.end
        } while end != nil
        return sum
    }

    private func counts() async throws -> [String: UInt64] {
        try await target.database.read { db in
            try StoredTable.all.reduce(into: [:]) { counts, table in
                counts[table.name] = UInt64(
                    clamping: try db.value(Int64.self, "SELECT COUNT(*) FROM \(table.name)") ?? 0)
            }
        }
    }

    // MARK: Chunks

    private func copyChunks(
        after position: (container: Int64, id: Data), _ mark: MigrationMark, _ report: inout MigrationReport
    ) async throws -> MigrationPosition {
        let (places, total) = try await source.database.read { [known = report.totalChunks] db in
            let places = try ChunkStore.places(after: position, limit: Self.page, db)
            return (places, known > 0 ? known : try ChunkStore.count(db))
        }
        report.totalChunks = total
        guard let last = places.last else { return try await commit(.verified(container: 0, through: Data()), mark) }
        let outcome = try await copy(places, &report)
        report.chunks += places.count
        return try await commit(.chunks(container: last.container, after: Data(last.id.bytes)), mark) { db in
            try Self.record(outcome, db)
        }
    }

    /// Looks for the chunks of the target's rows, and copies missing chunks again.
    private func verifyChunks(
        after position: (container: Int64, id: Data), _ mark: MigrationMark, _ report: inout MigrationReport
    ) async throws -> MigrationPosition {
        let places = try await target.database.read { db in
            try ChunkStore.places(after: position, limit: Self.page, promised: true, db)
        }
        guard let last = places.last else { return try await commit(.complete, mark) }
        let absent = try await ChunkTransfer.absent(places, from: target.objects)
        let rest = try await source.database.read { db in
            try absent.compactMap { try ChunkStore.place(of: $0.id, in: $0.container, db) }
        }
        let outcome = try await copy(rest, &report)
        report.verifiedChunks += places.count - absent.count
        return try await commit(.verified(container: last.container, through: Data(last.id.bytes)), mark) { db in
            try Self.record(outcome, db)
        }
    }

    private func copy(_ places: [ChunkPlace], _ report: inout MigrationReport) async throws -> ChunkTransfer.Outcome {
        let epoch = try await target.database.read { [objects = target.objects] in try objects.epoch($0) }
        let transfer = ChunkTransfer(source: source.objects, target: target.objects, epoch: epoch)
        let outcome = try await transfer.copy(places)
        report.copiedChunks += outcome.copied
        report.copiedBytes += outcome.copiedBytes
        report.lostChunks += outcome.lost.count
        return outcome
    }

    private static func record(_ outcome: ChunkTransfer.Outcome, _ db: any StorageTransaction) throws {
        for place in outcome.places where place.suffix != nil {
            try db.execute(
                "UPDATE chunk SET object = ? WHERE container = ? AND id = ?",
                [place.suffix?.text, place.container, Data(place.id.bytes)])
        }
        // Devices with these chunks send them again.
        for place in outcome.lost { try ChunkStore.distrust(place, db) }
    }
}
