import CloudModel
import GRDB
import Records

/// Commits that have not reached the log yet.
extension UbiquitousDatabase {
    /// Returns whether there are commits not yet written by ``publish(to:)``. Only reads, so that looking processes do
    /// not wake each other.
    func hasUnpublished() throws -> Bool {
        try reader.read { db in
            let statements = StatementCache(db)
            if try hasNoted(statements) { return true }
            let waiting =
                "SELECT 1 FROM _ubq_pending WHERE file IS NULL UNION ALL SELECT 1 FROM _ubq_file WHERE NOT is_written"
            return try statements.first("\(waiting) LIMIT 1", [], { _ in true }) != nil
        }
    }

    /// Returns whether triggers have captured rows not yet turned into transactions.
    private func hasNoted(_ statements: StatementCache) throws -> Bool {
        try tables.contains { try CaptureTriggers.hasCaptured($0.name.description, statements) }
    }

    /// Returns whether this device has row changes missing from the log, as far as it was imported. Table rules, sent
    /// by each device, do not count.
    func hasUnconfirmed() throws -> Bool {
        try reader.read { db in
            let statements = StatementCache(db)
            if try hasNoted(statements) { return true }
            var found = false
            try statements.run("SELECT body FROM _ubq_pending ORDER BY id") { row in
                guard !found else { return }
                found = try RecordFile(decoding: row[0].bytes).transactions.contains { !$0.changes.isEmpty }
            }
            return found
        }
    }

    /// The log version of the last imported transaction.
    var importedVersion: VersionID {
        get throws { try reader.read { try state(StatementCache($0)).base.version } }
    }

    /// Returns whether this device has transactions unknown to a device that has imported up to `version`. Files are
    /// folded in log order, so such a device has everything up to there.
    func hasTransactions(after version: VersionID) throws -> Bool {
        if try hasUnconfirmed() { return true }
        return try reader.read { db in
            let statements = StatementCache(db)
            let device = try state(statements).device
            let last = try statements.first(
                "SELECT sequence, change FROM _ubq_device WHERE device = ?", [.bits(device.value)]
            ) { row in
                VersionID(
                    sequence: LogSequence(UInt64(bitPattern: row.integer(0))),
                    index: UInt32(truncatingIfNeeded: row.integer(1)))
            }
            return last.map { $0 > version } ?? false
        }
    }

    /// Returns whether the devices have rows missing from this device's tables: set aside, undecided, or in tables and
    /// columns of a newer program.
    func hasHiddenRows() throws -> Bool {
        if try !asideRows(limit: 1).isEmpty || !conflicts(limit: 1).isEmpty { return true }
        let columns = Dictionary(tables.map { ($0.name, Set($0.columns.map(\.name))) }) { first, _ in first }
        return try reader.read { db in
            var isHidden = false
            try StatementCache(db).run("SELECT tbl, body FROM _ubq_row WHERE place = 0") { row in
                guard !isHidden, let table = RecordName(utf8: row[0].bytes) else { return }
                guard let known = columns[table] else {
                    isHidden = true
                    return
                }
                isHidden = try !Set(Record(decoding: row[1].bytes).columns.keys).isSubset(of: known)
            }
            return isHidden
        }
    }

    /// Returns whether all files in `source`, and all files covered by its baselines, are folded.
    func hasFolded(_ source: some RecordSource) throws -> Bool {
        let folded = try reader.read { try FoldedDevices(statements: StatementCache($0)).places() }
        let listed = try source.files(after: Dictionary(folded.map { ($0.device, $0.number) }) { max($0, $1) })
        guard listed.isEmpty else { return false }
        return try baselineToTake(from: source, folded: folded, listed: []) == nil
    }
}

extension VersionID {
    /// Before all versions.
    static let beginning = VersionID(sequence: LogSequence(0), index: 0)
}
