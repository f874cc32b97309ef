import Basics
import CloudModel
import Records

/// Replaces the folded log with a baseline's, and shows it in the tables. Runs in a single transaction of the database,
/// with foreign keys off.
///
/// Pending transactions stay pending, behind the new log, as after an import: ``RecordImporter`` folds
/// them again afterwards.
struct BaselineTaker {
    let statements: StatementCache
    let tables: [TableSchema]
    let path: String
    let time: Timestamp

    /// - Parameter progress: Called for each part.
    func run(_ head: RecordBaseline, _ state: inout StoreState, progress: () -> Void) throws {
        try CapturedGroups(statements: statements, tables: tables, state: state).seal(at: time)
        try confirm(head, state)
        for table in ["rules", "row", "claim", "child", "alias", "beside"] {
            try statements.run("DELETE FROM _ubq_\(table)")
        }
        var records = StoredRecords(statements: statements, now: time, known: try LogRestart.known(statements))
        for rules in head.rules { try records.setRules(rules) }
        for number in head.parts.indices {
            try BaselinePart.read(try part(number, of: head), of: head, number: number) { try put($0, &records) }
            progress()
        }
        try FoldedDevices(statements: statements).replace(by: head.devices, in: &records)
        try statements.run("DELETE FROM _ubq_part")
        state.base = head.end
        try state.save(statements)
        if try LogRestart.isRunning(statements) { return }
        var applier = RowApplier(statements, tables)
        try statements.run("UPDATE _ubq_now SET capturing = 0")
        try applier.applyAll(records)
        try statements.run("UPDATE _ubq_now SET capturing = 1")
    }

    private func part(_ number: Int, of head: RecordBaseline) throws -> [UInt8] {
        try statements.first(
            "SELECT bytes FROM _ubq_part WHERE device = ? AND number = ? AND part = ?",
            [.bits(head.name.device.value), .bits(head.name.number), .integer(Int64(number))]
        ) { $0[0].bytes } ?? []
    }

    private func put(_ item: BaselineItem, _ records: inout StoredRecords) throws {
        if case .lost(let value) = item {
            let isKnown = try statements.first(
                "SELECT 1 FROM _ubq_lost WHERE tbl = ? AND key = ? AND body = ?",
                value.row.stored + [.blob(value.encoded())]
            ) { _ in true }
            if isKnown != nil { return }
        }
        try records.restore(item)
    }

    /// Compares the files of the remaining devices where the baseline and this database have folded equally many.
    private func confirmOthers(_ head: RecordBaseline, _ state: StoreState) throws {
        let (devices, records) = (
            FoldedDevices(statements: statements), StoredRecords(statements: statements, now: time)
        )
        for device in head.devices where device.device != state.device {
            guard try records.lastFile(of: device.device) == device.file,
                let chain = try devices.chain(of: device.device), chain != device.chain
            else { continue }
            throw UbiquitousDatabaseError.otherFiles(device: device.name, file: device.file, path: path)
        }
    }

    /// Drops own transactions included in the baseline. If this device's files have different bytes than this database
    /// wrote, they come from a copy of it.
    private func confirm(_ head: RecordBaseline, _ state: StoreState) throws {
        try confirmOthers(head, state)
        guard let own = head.devices.first(where: { $0.device == state.device }) else { return }
        let copied = UbiquitousDatabaseError.numberTaken(file: "file \(own.file) of \(path)")
        guard own.file <= state.files else { throw copied }
        let devices = FoldedDevices(statements: statements)
        let folded = try StoredRecords(statements: statements, now: time).lastFile(of: state.device)
        if var chain = folded == 0 ? FileChain() : try devices.chain(of: state.device), folded <= own.file {
            try statements.run(
                "SELECT bytes FROM _ubq_file WHERE number > ? AND number <= ? ORDER BY number",
                [.bits(folded), .bits(own.file)]
            ) { chain.append($0[0].bytes) }
            guard chain == own.chain else { throw copied }
        }
        try statements.run("DELETE FROM _ubq_pending WHERE file <= ?", [.bits(own.file)])
        try statements.run("DELETE FROM _ubq_file WHERE number <= ?", [.bits(own.file)])
    }
}
