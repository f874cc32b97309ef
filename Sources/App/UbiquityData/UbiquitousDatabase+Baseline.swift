import Basics
import CloudModel
import GRDB
import Records

/// Baselines: the folded log in files, so that new devices need not read all transactions and old files can be removed.
extension UbiquitousDatabase {
    // MARK: Taking a baseline

    /// Records the log's baselines, and returns the baseline to take before folding the listed files; nil if
    /// there is none.
    func baselineToTake(
        from source: any RecordSource, folded: [RecordFileOrder.Place], listed: [RecordFileOrder.Place]
    ) throws -> RecordBaseline? {
        guard let latest = try noteBaselines(of: source)?.head else { return nil }
        guard try reader.read({ try state(StatementCache($0)).base }) < latest.end else { return nil }
        var order = RecordFileOrder(folded: folded)
        for file in listed { order.note(file.number, of: file.device, version: file.version) }
        // A new device reads a baseline faster than the files it replaces.
        return folded.isEmpty || order.lacks(latest.places) ? latest : nil
    }

    /// Returns the complete baseline with the latest end.
    func noteBaselines(of source: any RecordSource) throws -> KnownBaselines.Known? {
        let listed = try source.baselines()
        let (known, unknown) = try reader.read { db in
            let baselines = KnownBaselines(statements: StatementCache(db))
            return (try baselines.all(), try baselines.unknown(listed))
        }
        // Usually nothing is new, and the database need not be locked.
        let isSame = unknown.isEmpty && known.count == listed.count && known.allSatisfy { $0.completed != nil }
        if isSame { return known.last }
        var heads: [RecordBaseline.Name: [UInt8]] = [:]
        for baseline in unknown {
            let bytes = try source.read(nil, of: baseline.name)
            let head = try RecordBaseline(decoding: bytes)
            guard head.store.description == identifier, head.name == baseline.name else {
                throw RecordFileError.damaged("a baseline has the contents of another file")
            }
            heads[baseline.name] = bytes
        }
        return try inTransaction { statements in
            let baselines = KnownBaselines(statements: statements)
            try baselines.update(listed, heads: heads, at: clock.now())
            try BaselineWriter(statements: statements).forget()
            return try baselines.latest()
        }
    }

    /// Reads a baseline and shows it. Parts are stored as they arrive, so that after a crash the device continues with
    /// the next.
    func take(
        _ head: RecordBaseline, from source: any RecordSource, _ report: inout ImportReport
    ) throws -> UbiquitousChanges {
        for number in head.parts.indices {
            try fetch(number, of: head, from: source)
            report.advance()
        }
        return try unconstrained { statements in
            var state = try state(statements)
            // Another process of this program may have taken it meanwhile.
            guard state.base < head.end else { return UbiquitousChanges() }
            let time = clock.now()
            try BaselineTaker(statements: statements, tables: tables, path: path, time: time)
                .run(head, &state) { report.advance() }
            var changes = try RecordImporter(statements: statements, tables: tables, path: path, time: time)
                .run([], state)
            let pending = try statements.first("SELECT count(*) FROM _ubq_pending") { Int($0.integer(0)) } ?? 0
            changes.rows = []
            changes.baseline = UbiquitousChanges.Baseline(pending: pending)
            for table in tables { try statements.db.notifyChanges(in: Table(table.name.description)) }
            return changes
        }
    }

    private func fetch(_ number: Int, of head: RecordBaseline, from source: any RecordSource) throws {
        let key: [RecordValue] = [.bits(head.name.device.value), .bits(head.name.number)]
        let part = RecordValue.integer(Int64(number))
        let stored = try reader.read { db in
            try StatementCache(db).first(
                "SELECT bytes FROM _ubq_part WHERE device = ? AND number = ? AND part = ?", key + [part]
            ) { $0[0].bytes }
        }
        if let stored, RecordBaseline.Part(of: stored) == head.parts[number] { return }
        let bytes = try source.read(number, of: head.name)
        guard RecordBaseline.Part(of: bytes) == head.parts[number] else {
            throw RecordFileError.damaged("part \(number) of a baseline differs from its head")
        }
        try inTransaction { statements in
            // Parts of an outdated baseline.
            try statements.run("DELETE FROM _ubq_part WHERE device <> ? OR number <> ?", key)
            try statements.run("INSERT OR REPLACE INTO _ubq_part VALUES (?, ?, ?, ?)", key + [part, .blob(bytes)])
        }
    }

    // MARK: Writing a baseline

    /// Writes a baseline if due, and any left unwritten by an earlier call.
    func publishBaseline(to outlet: any RecordOutlet) throws {
        guard outlet.takesBaselines else { return }
        let isDue = try reader.read { db in try baselineWriter(StatementCache(db)).isDue(state(StatementCache(db))) }
        // Usually none is due, and the database need not be locked.
        if isDue { try prepareBaseline() }
        let unwritten = try reader.read { try BaselineWriter(statements: StatementCache($0)).unwritten() }
        for file in unwritten {
            let bytes = try reader.read { try BaselineWriter(statements: StatementCache($0)).bytes(of: file) }
            // Another process may have found the baseline in the log meanwhile.
            guard let bytes else { continue }
            try outlet.write(bytes, file.file)
            try inTransaction { statements in
                let writer = BaselineWriter(statements: statements)
                try writer.noteWritten(file)
                // A device that died before recording the last file finds the baseline in the log first.
                try writer.forget()
            }
        }
    }

    /// Writes the folded log to baseline files, durably in the database, unless another process has done so meanwhile.
    private func prepareBaseline() throws {
        try durably { statements in
            var state = try state(statements)
            let writer = baselineWriter(statements)
            guard try writer.isDue(state) else { return }
            try writer.prepare(&state)
            try state.save(statements)
        }
    }

    private func baselineWriter(_ statements: StatementCache) -> BaselineWriter {
        BaselineWriter(statements: statements, policy: baselinePolicy)
    }

    // MARK: Removing old files

    /// Removes files and baselines superseded by the latest baseline, if all devices have passed it or it is old.
    func removeOldFiles(from outlet: any RecordOutlet) throws {
        guard outlet.takesBaselines else { return }
        let found = try reader.read { db -> (RecordBaseline, [RecordBaseline.Name])? in
            let statements = StatementCache(db)
            let (state, baselines) = (try state(statements), KnownBaselines(statements: statements))
            guard let latest = try baselines.latest(), !latest.isPruned, let completed = latest.completed,
                state.base >= latest.head.end, let devices = try FoldedDevices(statements: statements).all()
            else { return nil }
            let days = clock.now().duration(since: completed).components.seconds / 86_400
            let mayRemove = baselinePolicy.mayRemove(
                below: latest.head, by: state.device, devices: devices, days: days)
            guard mayRemove else { return nil }
            let older = try baselines.all().map(\.head).filter { $0.end < latest.head.end }.map(\.name)
            return (latest.head, older)
        }
        guard let (head, older) = found else { return }
        try outlet.remove(head.files, baselines: older)
        try inTransaction { try KnownBaselines(statements: $0).notePruned(head.name) }
    }
}
