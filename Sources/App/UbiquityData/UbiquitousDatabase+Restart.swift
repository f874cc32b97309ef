import Basics
import CloudModel
import GRDB
import Records

/// Recovery after the cloud went back to an earlier state.
extension UbiquitousDatabase {
    /// Switches to the current log if it lacks folded files. The next import folds it.
    func restartIfSetBack(_ source: any RecordSource) throws {
        guard let followed = try source.followed() else { return }
        let folded = try reader.read { try FoldedDevices(statements: StatementCache($0)).places() }
        guard !folded.isEmpty else { return }
        guard let present = try source.versions(of: folded) else {
            // The folder is missing. Unless the log is shorter than the folded part, a device has removed the folder,
            // and a restart would bring back nothing.
            if try followed < importedVersion.sequence { try restart() }
            return
        }
        guard LogReturn.isProven(folded: folded, present: present, covered: [:]) else { return }
        // Deferred to here, because most calls find each file.
        _ = try noteBaselines(of: source)
        let covered = try reader.read { try KnownBaselines(statements: StatementCache($0)).covered() }
        if LogReturn.isProven(folded: folded, present: present, covered: covered) { try restart() }
    }

    private func restart() throws {
        var generator = SystemRandomNumberGenerator()
        let device = DeviceID.random(using: &generator)
        try durably { statements in
            try LogRestart(statements: statements, tables: tables, path: path, time: clock.now())
                .begin(state(statements), device: device)
        }
    }

    /// Removes this device's files under former ids if earlier files are missing. Their transactions are sent under the
    /// current id; otherwise peers would wait forever.
    func removeFormerFiles(from outlet: any RecordOutlet) throws {
        let former = try reader.read { db in
            let statements = StatementCache(db)
            let records = StoredRecords(statements: statements, now: clock.now())
            return try statements.all("SELECT device FROM _ubq_former") { DeviceID(UInt64(bitPattern: $0.integer(0))) }
                .map { ($0, try records.lastFile(of: $0)) }
        }
        for (device, last) in former {
            try outlet.remove(after: last, of: device)
            try inTransaction { try $0.run("DELETE FROM _ubq_former WHERE device = ?", [.bits(device.value)]) }
        }
    }

    /// Whether rows are kept aside until the current log is folded. Nothing is published meanwhile.
    var isRestarting: Bool { get throws { try reader.read { try LogRestart.isRunning(StatementCache($0)) } } }

    /// Sends rows missing from the current log, and shows them; does nothing if the log did not go back.
    func finishRestart() throws -> UbiquitousChanges? {
        guard try isRestarting else { return nil }
        return try unconstrained { statements in
            // Another process of this program may have done it meanwhile.
            guard try LogRestart.isRunning(statements) else { return nil }
            var changes = try LogRestart(statements: statements, tables: tables, path: path, time: clock.now())
                .finish(state(statements))
            let pending = try statements.first("SELECT count(*) FROM _ubq_pending") { Int($0.integer(0)) } ?? 0
            changes.rows = []
            changes.baseline = UbiquitousChanges.Baseline(pending: pending)
            for table in tables { try statements.db.notifyChanges(in: Table(table.name.description)) }
            return changes
        }
    }
}
