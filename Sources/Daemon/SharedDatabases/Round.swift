import Basics
import DaemonProtocol
import Glibc
import Records
import UbiquityData

/// A check of a shared file: publishes programs' commits, and imports from other devices. After each step, the next
/// round can continue from the file, the registration and the cloud.
struct Round {
    /// A round's findings.
    struct Report {
        var probe: SharingProbe?
        var hasPublished = false
        var hasImported = false
        /// Files this device waits for.
        var missing: [SharingProbe.MissingFile] = []
        /// Tables that stay on this device, as complete sentences.
        var notes: [String] = []
        var failure: SharingFailure?
    }

    let registry: Registry
    let folder: CloudFolder
    let deviceName: String
    /// Other devices' tables, read again whenever new files arrive.
    private var peers: [SharedSchema]?
    /// Whether this process's last import was complete. Until then each round imports, whatever the folder shows.
    private var isImported = false
    /// Unsharable tables, with the statements concerned and the reason.
    private var refused: [String: (statements: [String], reason: String)] = [:]

    init(registry: Registry, folder: CloudFolder, deviceName: String) {
        (self.registry, self.folder, self.deviceName) = (registry, folder, deviceName)
    }

    mutating func run(_ id: Registration.Name) -> Report {
        var report = Report()
        guard let registration = registry.find(id) else { return report }
        do { try run(registration, &report) } catch { report.failure = SharingFailure(error) }
        return report
    }

    private mutating func run(_ start: Registration, _ report: inout Report) throws {
        var registration = start
        try Self.checkFile(registration.path, mayBeAbsent: !registration.isComplete)
        if !registration.isComplete { try Self.complete(&registration, registry, deviceName: deviceName) }
        let probe = try SharingProbe(path: registration.path)
        if registration.isEnding == true, probe.identifier == nil { return try finishEnding(registration) }
        report.probe = probe
        try check(probe, registration)
        if registration.isEnding != nil {
            // That detach died before it changed the file, so the mark would be wrong for a later plain file in its
            // place.
            registration.isEnding = nil
            try registry.update(registration)
        }
        if let device = probe.device, registration.schema != nil, try probe.isFollowing(folder.url),
            !folder.hasSchema(registration.identifier, device)
        {
            // A log that went back has no tables of this device, or it writes under a new id.
            registration.schema = nil
        }
        let hasNewFiles = try probe.hasNewFiles(in: folder.url)
        report.missing = try probe.missingFiles(in: folder.url)
        let isUnpublished = try probe.isUnpublished || probe.hasLostFiles(in: folder.url)
        if peers == nil || hasNewFiles { readPeers(registration, &report) }
        var plan = TablePlan(registration, probe, peers: peers ?? [])
        leaveOutRefused(&plan, probe, &report)
        guard plan.change(of: registration) != nil || isUnpublished || hasNewFiles || !isImported else { return }
        isImported = false
        let database = try open(&plan, registration, probe, &report)
        defer {
            // The file is consistent without an orderly end; the next round sees any error.
            try? database.emptyLog()
            try? database.close()
        }
        let number = try database.publish(to: folder.url)
        report.hasPublished = number > 0
        // After the first publication the device has an id and a folder.
        if let schema = plan.change(of: registration), let device = probe.device {
            try folder.write(schema, identifier: registration.identifier, device: device)
            (registration.schema, registration.version) = (schema, schema.version)
            registration.tables = plan.declarations
            try registry.update(registration)
        }
        let changes = try database.importChanges(from: folder.url)
        report.hasImported = changes.files > 0 || changes.baseline != nil
        isImported = true
        let after = try SharingProbe(path: registration.path)
        report.probe = after
        report.missing = try after.missingFiles(in: folder.url)
    }

    // MARK: Steps

    /// Throws if the file is missing, or is not a regular file.
    static func checkFile(_ path: String, mayBeAbsent: Bool) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            guard code == ENOENT || code == ENOTDIR else { throw Errno(code, "stat \(path)") }
            if mayBeAbsent { return }
            throw SharingFailure(
                "the file is missing", advice: "Put it back, or end sharing with `ubiquity database detach`.",
                retry: .later)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SharingFailure(
                "it is no file", advice: "Put the database back, or end sharing with `ubiquity database detach`.",
                retry: .later)
        }
    }

    /// Creates the tables and triggers missing in a registered file.
    static func complete(_ registration: inout Registration, _ registry: Registry, deviceName: String) throws {
        let schema = registration.schema
        let database = try UbiquitousDatabase(
            path: registration.path, tables: registration.tables.map(\.declaration),
            identifier: registration.identifier, deviceName: deviceName, schemaVersion: registration.version,
            clock: SystemTime(), isForeign: true
        ) { try schema?.makeTables(in: $0) }
        try database.close()
        registration.isComplete = true
        // This device's tables are written to the cloud as its own.
        registration.schema = nil
        try registry.update(registration)
    }

    /// Completes an end of sharing whose process died after the file had become plain.
    private func finishEnding(_ registration: Registration) throws {
        // Another program may have the file open; the mode is no obstacle to it.
        _ = try? UbiquitousDatabase.restoreJournalMode(path: registration.path, to: registration.journalMode)
        try registry.remove(registration.id)
    }

    private func check(_ probe: SharingProbe, _ registration: Registration) throws {
        guard probe.identifier == registration.identifier else {
            let what =
                probe.identifier == nil
                ? "another file that is not shared is in its place"
                : "a file of another shared database is in its place"
            throw SharingFailure(
                what,
                advice:
                    "Put the shared file back; or run `ubiquity database detach \(registration.name)` and attach the new file.",
                retry: .afterChange)
        }
        guard folder.hasContainer else {
            throw SharingFailure(
                "the container \(registration.container) is not there", advice: "It may arrive with the next sync.",
                retry: .afterChange)
        }
        guard try !probe.hasFolded || folder.contains(registration.identifier) || probe.isAhead(of: folder.url) else {
            throw SharingFailure(
                "its files are no longer in the cloud: the folder \(folder.path) was deleted or renamed, or the cloud went back "
                    + "to a state from before the database was shared",
                advice:
                    "Restore it (`ubiquity deleted`); or end sharing with `ubiquity database detach`, which leaves all rows in the file, "
                    + "and share it again.",
                retry: .afterChange)
        }
    }

    private mutating func readPeers(_ registration: Registration, _ report: inout Report) {
        let found = folder.schemas(of: registration.identifier)
        peers = found.schemas
        if let failure = found.failure { report.notes.append("\(failure.message). \(failure.advice)") }
    }

    private func leaveOutRefused(_ plan: inout TablePlan, _ probe: SharingProbe, _ report: inout Report) {
        for (table, known) in refused.sorted(by: { $0.key < $1.key })
        where probe.tables.contains(where: { $0.name.lowercased() == table && $0.statements == known.statements }) {
            if plan.leaveOut(table) { report.notes.append(Self.note(table, known.reason)) }
        }
    }

    private static func note(_ table: String, _ reason: String) -> String {
        "The table \(table) stays on this device: \(reason)."
    }

    /// Opens the file with all sharable tables. A program's unsharable new table is left out and noted.
    private mutating func open(
        _ plan: inout TablePlan, _ registration: Registration, _ probe: SharingProbe, _ report: inout Report
    ) throws -> UbiquitousDatabase {
        while true {
            do {
                // Rules declared with a higher version are sent, so only changed rules get one.
                let version = plan.change(of: registration)?.version ?? registration.version
                return try UbiquitousDatabase(
                    path: registration.path, tables: plan.declarations.map(\.declaration),
                    identifier: registration.identifier, deviceName: deviceName, schemaVersion: version,
                    clock: SystemTime(), isForeign: true)
            } catch let UbiquitousDatabaseError.unsharable(table, reason) where plan.leaveOut(table) {
                let found = probe.tables.first { $0.name.lowercased() == table.lowercased() }
                refused[table.lowercased()] = (found?.statements ?? [], reason)
                report.notes.append(Self.note(table, reason))
            }
        }
    }
}
