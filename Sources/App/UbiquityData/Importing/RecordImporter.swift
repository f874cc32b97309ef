import Basics
import CloudModel
import Records

/// Folds log files and shows the result, in a single transaction of the database: pending transactions are pending
/// again afterwards, behind the log, and the program's tables show both.
struct RecordImporter {
    struct Received: Sendable {
        let place: RecordFileOrder.Place
        let bytes: [UInt8]
    }

    let statements: StatementCache
    let tables: [TableSchema]
    let path: String
    let time: Timestamp

    /// - Parameter progress: Called for each file.
    func run(
        _ files: [Received], _ start: StoreState, progress: () -> Void = {}
    ) throws -> UbiquitousChanges {
        var state = start
        try CapturedGroups(statements: statements, tables: tables, state: state).seal(at: time)
        let cache = RecordCache()
        var affected = try fold(files, &state, cache, progress)
        let changes = UbiquitousChanges(files: files.count)
        if try LogRestart.isRunning(statements) {
            // The tables keep the device's old state until the whole log is folded.
            try state.save(statements)
            return changes
        }
        affected.formUnion(try ids("SELECT tbl, key FROM _ubq_shown"))
        affected.formUnion(try ids("SELECT tbl, key FROM _ubq_refused"))
        let view = PendingView(statements: statements, state: state, now: time, cache: cache)
        let (wanted, touched, unions) = try view.read { records, touched in
            for table in try staleTables() { affected.formUnion(try records.liveRows(of: table)) }
            return (try wantedRows(affected.union(touched), in: records), touched, try pendingUnions())
        }
        var applier = RowApplier(statements, tables)
        try statements.run("UPDATE _ubq_now SET capturing = 0")
        try applier.apply(wanted)
        try statements.run("UPDATE _ubq_now SET capturing = 1")
        try remember(touched, unions)
        try state.save(statements)
        var shown = changes
        (shown.rows, shown.refused) = (applier.changes, applier.refused)
        return shown
    }

    // MARK: The log

    private func fold(
        _ files: [Received], _ state: inout StoreState, _ cache: RecordCache, _ progress: () -> Void
    ) throws -> Set<RowID> {
        var touched: Set<RowID> = []
        let known = try LogRestart.known(statements)
        var records = StoredRecords(statements: statements, now: time, cache: cache, known: known)
        for received in files {
            let file = try RecordFile(decoding: received.bytes)
            let place = received.place
            guard file.store == state.store, file.device == place.device, file.number == place.number else {
                throw RecordFileError.damaged("it has the contents of another file")
            }
            // Another process of this program may have folded it meanwhile.
            guard try file.number > records.lastFile(of: file.device) else { continue }
            if file.device == state.device { try confirm(received) }
            touched.formUnion(try RecordReducer().fold(file, at: place.version, into: &records))
            try FoldedDevices(statements: statements).advance(file, at: place, bytes: received.bytes)
            state.base = RecordPosition(
                version: place.version, file: file.number,
                place: UInt32(truncatingIfNeeded: file.transactions.count - 1))
            progress()
        }
        return touched
    }

    /// Drops pending transactions already in the log. A file with different bytes than this database wrote comes from a
    /// copy of it.
    private func confirm(_ received: Received) throws {
        let number = RecordValue.bits(received.place.number)
        let bytes = try statements.first("SELECT bytes FROM _ubq_file WHERE number = ?", [number]) { $0[0].bytes }
        guard bytes == received.bytes else {
            throw UbiquitousDatabaseError.numberTaken(file: "file \(received.place.number) of \(path)")
        }
        try statements.run("DELETE FROM _ubq_pending WHERE file = ?", [number])
        try statements.run("DELETE FROM _ubq_file WHERE number = ?", [number])
    }

    // MARK: The view

    private func ids(_ sql: String) throws -> [RowID] { try statements.all(sql) { try RowID(stored: $0) } }

    private func staleTables() throws -> [RecordName] {
        try statements.all("SELECT tbl FROM _ubq_table WHERE is_stale") { RecordName(utf8: $0[0].bytes) }
            .compactMap { $0 }
    }

    /// Returns the rows' target states.
    private func wantedRows(_ ids: Set<RowID>, in records: StoredRecords) throws -> [RowID: RowApplier.Wanted] {
        var wanted: [RowID: RowApplier.Wanted] = [:]
        wanted.reserveCapacity(ids.count)
        let tables = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
        for id in ids {
            guard let table = tables[id.table] else { continue }
            let record = try records.row(id)
            wanted[id] = .some(record.flatMap { table.shown($0, id) })
        }
        return wanted
    }

    private func pendingUnions() throws -> [[RecordValue]] {
        try statements.all("SELECT tbl, key, target FROM _ubq_alias WHERE is_pending") { $0.values(0..<3) }
    }

    private func remember(_ touched: Set<RowID>, _ unions: [[RecordValue]]) throws {
        try statements.run("DELETE FROM _ubq_shown")
        for id in touched { try statements.run("INSERT INTO _ubq_shown VALUES (?, ?)", id.stored) }
        try statements.run("DELETE FROM _ubq_union")
        for union in unions { try statements.run("INSERT INTO _ubq_union VALUES (?, ?, ?)", union) }
        try statements.run("UPDATE _ubq_table SET is_stale = 0")
    }
}
