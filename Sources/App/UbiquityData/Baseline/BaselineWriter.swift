import Basics
import CloudModel
import GRDB
import Records

/// Puts the folded log into baseline files. Runs in a transaction of the database; the caller writes the files.
///
/// Like a transaction file, a baseline is durable in the database before any of its files is written. The head is
/// written last.
struct BaselineWriter {
    let statements: StatementCache
    var policy = BaselinePolicy()

    /// A file not known to be written.
    struct Unwritten: Hashable, Sendable {
        let file: BaselineFile
        fileprivate let place: Int64
    }

    /// Whether a new baseline is due; false while a baseline is on its way to the log.
    func isDue(_ state: StoreState) throws -> Bool {
        guard try statements.first("SELECT 1 FROM _ubq_outgoing LIMIT 1", [], { _ in true }) == nil,
            let devices = try FoldedDevices(statements: statements).all()
        else { return false }
        // Even if incomplete: a peer is still writing it.
        let last = try KnownBaselines(statements: statements).all().last?.head
        let log = RecordBaseline.log(of: devices)
        let newest = devices.max { $0.place < $1.place }
        guard state.unfit == 0 || log.files >= state.unfit.addingReportingOverflow(policy.files).partialValue else {
            return false
        }
        return policy.isDue(
            since: log.beyond(last?.log ?? FileChain.Extent()), last: last?.bytes ?? 0,
            isAuthor: newest?.device == state.device)
    }

    /// Stores a baseline's files. The state's counts are changed, and must be saved.
    func prepare(_ state: inout StoreState) throws {
        guard let devices = try FoldedDevices(statements: statements).all() else { return }
        let (number, overflow) = state.baselines.addingReportingOverflow(1)
        guard !overflow else { return }
        let name = RecordBaseline.Name(device: state.device, number: number)
        do {
            try statements.db.inSavepoint {
                let parts = try storeParts(of: name, state)
                let rules = try statements.all("SELECT body FROM _ubq_rules") { try TableRules(decoding: $0[0].bytes) }
                let head = RecordBaseline(
                    store: state.store, name: name, end: state.base, devices: devices, rules: rules, parts: parts)
                try store(try head.encoded(), number, place: parts.count, isHead: true)
                return .commit
            }
            (state.baselines, state.unfit) = (number, 0)
        } catch let error as RecordFileError {
            guard case .tooLarge = error else { throw error }
            // A row exceeds a baseline file. Sharing continues without a baseline.
            state.unfit = RecordBaseline.log(of: devices).files
        }
    }

    private func storeParts(of name: RecordBaseline.Name, _ state: StoreState) throws -> [RecordBaseline.Part] {
        var parts: [RecordBaseline.Part] = []
        var part = BaselinePart(store: state.store, name: name, number: 0)
        func finish() throws {
            guard !part.isEmpty else { return }
            let bytes = try part.encoded()
            try store(bytes, name.number, place: parts.count, isHead: false)
            parts.append(RecordBaseline.Part(of: bytes))
            guard parts.count < RecordBaseline.maximumParts else { throw RecordFileError.tooLarge("the baseline") }
            part = BaselinePart(store: state.store, name: name, number: UInt32(parts.count))
        }
        func add(_ append: (inout BaselinePart) -> Void) throws {
            append(&part)
            if part.size >= policy.partBytes { try finish() }
        }
        try statements.run("SELECT tbl, key, body FROM _ubq_row ORDER BY tbl, key") { row in
            try add { $0.append(row: row[0].bytes, key: row[1].bytes, body: row[2].bytes) }
        }
        try statements.run("SELECT tbl, key, target, position FROM _ubq_alias ORDER BY tbl, key") { row in
            try add {
                $0.append(alias: row[0].bytes, key: row[1].bytes, target: row[2].bytes, position: row[3].bytes)
            }
        }
        try statements.run("SELECT body FROM _ubq_lost ORDER BY id") { row in
            try add { $0.append(lost: row[0].bytes) }
        }
        try finish()
        return parts
    }

    private func store(_ bytes: [UInt8], _ number: UInt64, place: Int, isHead: Bool) throws {
        try statements.run(
            "INSERT INTO _ubq_outgoing(number, part, is_head, bytes) VALUES (?, ?, ?, ?)",
            [.bits(number), .integer(Int64(place)), .integer(isHead ? 1 : 0), .blob(bytes)])
    }

    // MARK: Files

    /// Files not known to be written, the head last.
    func unwritten() throws -> [Unwritten] {
        try statements.all("SELECT number, part, is_head FROM _ubq_outgoing WHERE NOT is_written ORDER BY number, part")
        {
            let part = $0.integer(1)
            let file = BaselineFile(
                number: UInt64(bitPattern: $0.integer(0)), part: $0.integer(2) == 1 ? nil : Int(part))
            return Unwritten(file: file, place: part)
        }
    }

    func bytes(of unwritten: Unwritten) throws -> [UInt8]? {
        try statements.first("SELECT bytes FROM _ubq_outgoing WHERE number = ? AND part = ?", Self.key(unwritten)) {
            $0[0].bytes
        }
    }

    func noteWritten(_ unwritten: Unwritten) throws {
        try statements.run(
            "UPDATE _ubq_outgoing SET is_written = 1 WHERE number = ? AND part = ?", Self.key(unwritten))
    }

    private static func key(_ unwritten: Unwritten) -> [RecordValue] {
        [.bits(unwritten.file.number), .integer(unwritten.place)]
    }

    /// Drops the files of a baseline already in the log, or outdated by a later baseline there.
    func forget() throws {
        guard try unwritten().isEmpty, let latest = try KnownBaselines(statements: statements).latest()?.head else {
            return
        }
        let head = try statements.first("SELECT bytes FROM _ubq_outgoing WHERE is_head") {
            try RecordBaseline(decoding: $0[0].bytes)
        }
        guard let head, latest.end >= head.end else { return }
        try statements.run("DELETE FROM _ubq_outgoing")
    }
}
