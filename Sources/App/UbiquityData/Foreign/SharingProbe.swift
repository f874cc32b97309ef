package import Basics
package import CloudModel
package import Foundation
import GRDB
package import Records

/// A SQLite file's tables and sharing state, read without changing it and without waiting for writers.
package struct SharingProbe: Sendable {
    /// Maximum wait for an exclusively locked file.
    private static let patience: TimeInterval = 1

    /// The file's shared database; nil if it is not shared.
    package private(set) var identifier: String?
    /// The journal mode, in lower case.
    package private(set) var journalMode = ""
    /// The program's ordinary tables with their CREATE statements, in creation order. Without declarations.
    package private(set) var tables: [SharedSchema.Table] = []
    /// The program's virtual tables and their companion tables, in lower case.
    package private(set) var virtualTables: Set<String> = []
    /// The shared tables, in lower case.
    package private(set) var sharedTables: Set<String> = []
    /// Transactions missing from the log. Commits by other programs since the last check count as a single transaction.
    package private(set) var pending: UInt64 = 0
    /// Whether ``UbiquitousDatabase/publish(to:)`` has something to write.
    package private(set) var isUnpublished = false
    /// Numbers of items of interest to a person: undecided values, set-aside rows, rows refused by a constraint, and
    /// lost values.
    package private(set) var conflicts: UInt64 = 0
    package private(set) var aside: UInt64 = 0
    package private(set) var refused: UInt64 = 0
    package private(set) var lost: UInt64 = 0
    /// Names of devices with transactions in the tables, without duplicates.
    package private(set) var devices: [String] = []

    private var state: StoreState?
    /// Whether this device has switched to a new log and has not folded all of it (``LogRestart``).
    private var isRestarting = false
    private var places: [RecordFileOrder.Place] = []
    private var baselines: Set<RecordBaseline.Name> = []
    /// Files covered by these baselines.
    private var covered: [DeviceID: UInt64] = [:]
    /// The numbers of files written but missing from the log.
    private var written: [UInt64] = []
    private var names: [DeviceID: String] = [:]

    /// - Parameter path: An existing file. An empty file is a database without tables.
    /// - Throws: SQLite's error, or an error for a damaged shared file or a file written by a newer release.
    package init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Self.patience)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { db in
            let statements = StatementCache(db)
            journalMode = try statements.first("PRAGMA journal_mode") { Self.text($0[0]).lowercased() } ?? ""
            try readTables(statements)
            state = try StoreState(statements, path: path)
            identifier = state?.store.description
            if state != nil { try readState(statements) }
        }
        try queue.close()
    }

    private static func text(_ value: RecordValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

    private static func isOurs(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix(CaptureTriggers.prefix) || name.hasPrefix("sqlite_")
    }

    private mutating func readTables(_ statements: StatementCache) throws {
        let kinds = try statements.all("SELECT name, type FROM pragma_table_list WHERE schema = 'main'") {
            (Self.text($0[0]), Self.text($0[1]))
        }
        virtualTables = Set(kinds.filter { $0.1 == "virtual" || $0.1 == "shadow" }.map { $0.0.lowercased() })
        var places: [String: Int] = [:]
        try statements.run(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'index') "
                + "ORDER BY type = 'index', rowid"
        ) { row in
            let (type, name, table, sql) = (
                Self.text(row[0]), Self.text(row[1]), Self.text(row[2]), Self.text(row[3])
            )
            guard !Self.isOurs(table), !virtualTables.contains(table.lowercased()) else { return }
            if type == "table" {
                places[table.lowercased()] = tables.count
                tables.append(SharedSchema.Table(name, statements: [sql]))
            } else if let place = places[table.lowercased()], !sql.isEmpty, !Self.isOurs(name) {
                // Constraint indexes have no statement.
                tables[place].statements.append(sql)
            }
        }
    }

    private mutating func readState(_ statements: StatementCache) throws {
        func count(_ sql: String) throws -> UInt64 {
            UInt64(clamping: try statements.first("SELECT count(*) FROM \(sql)") { $0.integer(0) } ?? 0)
        }
        sharedTables = Set(try statements.all("SELECT tbl FROM _ubq_table") { Self.text($0[0]) })
        let noted = try sharedTables.contains { try CaptureTriggers.hasCaptured($0, statements) }
        if state?.layout ?? 0 >= 3 {
            let known = KnownBaselines(statements: statements)
            (baselines, covered) = (Set(try known.all().map(\.head.name)), try known.covered())
        }
        if state?.layout ?? 0 >= 4 { isRestarting = try LogRestart.isRunning(statements) }
        let loose = try count("_ubq_pending WHERE file IS NULL")
        let unwritten = try count("_ubq_file WHERE NOT is_written")
        written = try RecordPublisher(statements: statements, deviceName: "").written()
        pending = try count("_ubq_pending").saturatingSum(noted ? 1 : 0)
        isUnpublished = noted || loose > 0 || unwritten > 0
        conflicts = state?.layout ?? 0 < 2 ? 0 : try count("_ubq_beside")
        aside = try count("_ubq_row WHERE place = 2")
        refused = try count("_ubq_refused")
        lost = try count("_ubq_lost")
        places = try FoldedDevices(statements: statements).places()
        try statements.run("SELECT device, name FROM _ubq_device ORDER BY name") { row in
            names[DeviceID(UInt64(bitPattern: row.integer(0)))] = Self.text(row[1])
            // After switching to a new log, a device has a new id under the same name.
            if devices.last != Self.text(row[1]) { devices.append(Self.text(row[1])) }
        }
    }

    /// This device's id in the shared database; nil if the file is not shared.
    package var device: DeviceID? { state?.device }

    /// Whether the file shows transactions that are, or were, in the log.
    package var hasFolded: Bool { !places.isEmpty }

    private var folded: [DeviceID: UInt64] { Dictionary(places.map { ($0.device, $0.number) }) { max($0, $1) } }

    private func records(in folder: URL) -> RecordFolder? {
        state.map { RecordFolder(path: folder.path, store: $0.store, device: $0.device) }
    }

    /// Returns whether the log has files not yet shown in the tables, or lacks some already shown.
    ///
    /// - Parameter folder: The folder read by ``UbiquitousDatabase/importChanges(from:)``.
    package func hasNewFiles(in folder: URL) throws -> Bool {
        guard let folder = records(in: folder) else { return false }
        if isRestarting { return true }
        if try !folder.files(after: folded).isEmpty { return true }
        if try folder.followed() != nil,
            LogReturn.isProven(folded: places, present: try folder.versions(of: places) ?? [:], covered: covered)
        {
            return true
        }
        // Files may have been removed because of a baseline not seen by this device.
        return try folder.baselines().contains { !baselines.contains($0.name) }
    }

    /// Returns whether a file of this device is missing both from the log and from the folder.
    package func hasLostFiles(in folder: URL) throws -> Bool {
        guard let folder = records(in: folder) else { return false }
        return try written.contains { try folder.hasLost($0) }
    }

    /// Returns whether the log is shorter than the file's copy of it: the cloud went back to an earlier state.
    package func isAhead(of folder: URL) throws -> Bool {
        guard let state, let followed = try records(in: folder)?.followed() else { return false }
        return followed < state.base.version.sequence
    }

    /// Returns whether the mount shows the whole log.
    package func isFollowing(_ folder: URL) throws -> Bool { try records(in: folder)?.followed() != nil }

    /// A device's file missing from the log, although a later file is there.
    package struct MissingFile: Hashable, Sendable {
        /// The device's name, or its id if unknown.
        package let device: String
        package let number: UInt64
        /// When the device wrote the first later file.
        package let since: Timestamp
    }

    /// Returns missing files that later files wait for, by device name.
    package func missingFiles(in folder: URL) throws -> [MissingFile] {
        guard let folder = records(in: folder) else { return [] }
        var order = RecordFileOrder(folded: places)
        for file in try folder.files(after: folded) { order.note(file.number, of: file.device, version: file.version) }
        while order.next != nil { order.advance() }
        return order.missing.map { place in
            MissingFile(
                device: names[place.device] ?? place.device.description, number: place.number,
                since: folder.written(place.later, by: place.device) ?? Timestamp(seconds: 0))
        }.sorted { ($0.device, $0.number) < ($1.device, $1.number) }
    }
}
