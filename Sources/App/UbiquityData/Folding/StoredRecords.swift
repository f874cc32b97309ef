import Basics
import CloudModel
import Records

/// The folded log in tables of the program's own database. Rows are decoded on demand by the fold, so memory does not
/// grow with the database.
struct StoredRecords: RecordStore {
    /// The version of pending transactions, after the whole log.
    static let end = VersionID(sequence: LogSequence(UInt64.max), index: UInt32.max)

    let statements: StatementCache
    /// The time recorded for lost values.
    let now: Timestamp
    let cache: RecordCache
    /// The last file of each device whose replacements this device has recorded, and may have dropped.
    let known: [DeviceID: UInt64]

    init(
        statements: StatementCache, now: Timestamp, cache: RecordCache = RecordCache(), known: [DeviceID: UInt64] = [:]
    ) {
        (self.statements, self.now, self.cache, self.known) = (statements, now, cache, known)
    }

    func rules(of table: RecordName) throws -> TableRules? {
        if let known = cache.rules(of: table) { return known }
        let rules = try statements.first("SELECT body FROM _ubq_rules WHERE tbl = ?", [.text(table)]) {
            try TableRules(decoding: $0[0].bytes)
        }
        cache.note(rules, of: table)
        return rules
    }

    mutating func setRules(_ rules: TableRules) throws {
        let table = RecordValue.text(rules.table)
        try statements.run("INSERT OR REPLACE INTO _ubq_rules VALUES (?, ?)", [table, .blob(rules.encoded())])
        cache.note(rules, of: rules.table)
        try statements.run("DELETE FROM _ubq_claim WHERE tbl = ?", [table])
        try statements.run("DELETE FROM _ubq_child WHERE tbl = ?", [table])
        try statements.run("SELECT key, body FROM _ubq_row WHERE tbl = ? AND place = 0", [table]) { row in
            let id = RowID(table: rules.table, key: try RecordKey(decoding: row[0].bytes))
            try index(try Record(decoding: row[1].bytes), id, rules)
        }
    }

    // MARK: Rows

    func row(_ id: RowID) throws -> Record? {
        if let known = cache.row(id) { return known }
        var size = 0
        let row = try statements.first("SELECT body FROM _ubq_row WHERE tbl = ? AND key = ?", id.stored) { row in
            let body = row[0].bytes
            size = body.count
            return try Record(decoding: body)
        }
        cache.note(row, id, size: size)
        return row
    }

    mutating func put(_ row: Record?, _ id: RowID) throws {
        let rules = try rules(of: id.table)
        let old = try self.row(id)
        try noteAlternatives(old?.hasAlternatives ?? false, row?.hasAlternatives ?? false, id)
        if let rules, let old, old.isLive {
            for (sql, values) in entries(of: old, id, rules) {
                try statements.run("DELETE FROM \(sql.table) WHERE \(sql.match)", values)
            }
        }
        guard let row else {
            cache.note(nil, id, size: 0)
            return try statements.run("DELETE FROM _ubq_row WHERE tbl = ? AND key = ?", id.stored)
        }
        let place: Int64 = row.isLive ? 0 : row.isAside ? 2 : 1
        let body = row.encoded()
        cache.note(row, id, size: body.count)
        try statements.run(
            "INSERT OR REPLACE INTO _ubq_row VALUES (?, ?, ?, ?)", id.stored + [.integer(place), .blob(body)])
        if let rules, row.isLive { try index(row, id, rules) }
    }

    func alias(of id: RowID) throws -> RecordAlias? {
        try statements.first("SELECT target, position FROM _ubq_alias WHERE tbl = ? AND key = ?", id.stored) { row in
            RecordAlias(
                key: try RecordKey(decoding: row[0].bytes), position: try RecordPosition(decoding: row[1].bytes))
        }
    }

    mutating func setAlias(_ id: RowID, to target: RecordAlias) throws {
        let isPending: Int64 = target.position.version == Self.end ? 1 : 0
        try statements.run(
            "INSERT OR REPLACE INTO _ubq_alias VALUES (?, ?, ?, ?, ?)",
            id.stored + [.blob(target.key.encoded()), .blob(target.position.encoded()), .integer(isPending)])
    }

    // MARK: Finding rows

    func liveRows(of table: RecordName) throws -> [RowID] {
        try statements.all("SELECT key FROM _ubq_row WHERE tbl = ? AND place = 0", [.text(table)]) {
            RowID(table: table, key: try RecordKey(decoding: $0[0].bytes))
        }.sorted()
    }

    func rows(matching values: [RecordValue], in table: RecordName, columns: [RecordName]) throws -> [RowID] {
        let claim: [RecordValue] = [.text(table), .blob(Self.bytes(of: columns)), .blob(Self.bytes(of: values))]
        return try statements.all("SELECT key FROM _ubq_claim WHERE tbl = ? AND columns = ? AND claimed = ?", claim) {
            RowID(table: table, key: try RecordKey(decoding: $0[0].bytes))
        }.sorted()
    }

    func children(of id: RowID) throws -> [RowID] {
        try statements.all("SELECT tbl, key FROM _ubq_child WHERE parent = ? AND parent_key = ?", id.stored) {
            try RowID(stored: $0)
        }.sorted()
    }

    func asideRows() throws -> [RowID] {
        try statements.all("SELECT tbl, key FROM _ubq_row WHERE place = 2") { try RowID(stored: $0) }.sorted()
    }

    /// Returns rows with alternatives to a column's current value, ascending.
    func rowsWithAlternatives() throws -> [RowID] {
        try statements.all("SELECT tbl, key FROM _ubq_beside") { try RowID(stored: $0) }.sorted()
    }

    private func noteAlternatives(_ had: Bool, _ has: Bool, _ id: RowID) throws {
        guard had != has else { return }
        let sql =
            has ? "INSERT INTO _ubq_beside VALUES (?, ?)" : "DELETE FROM _ubq_beside WHERE tbl = ? AND key = ?"
        try statements.run(sql, id.stored)
    }

    // MARK: The rest

    mutating func lose(_ value: Records.LostValue) throws {
        if let last = known[value.winner.device], value.winner.position.file <= last { return }
        try statements.run(
            "INSERT INTO _ubq_lost(noted, tbl, key, body) VALUES (?, ?, ?, ?)",
            [.integer(now.nanoseconds)] + value.row.stored + [.blob(value.encoded())])
    }

    func lastFile(of device: DeviceID) throws -> UInt64 {
        try statements.first("SELECT file FROM _ubq_device WHERE device = ?", [.bits(device.value)]) {
            UInt64(bitPattern: $0.integer(0))
        } ?? 0
    }

    mutating func setLastFile(_ number: UInt64, of device: DeviceID, name: String) throws {
        try statements.run(
            "INSERT INTO _ubq_device(device, file, sequence, change, name) VALUES (?1, ?2, 0, 0, ?3) ON CONFLICT (device) DO UPDATE SET file = ?2, name = ?3",
            [.bits(device.value), .bits(number), .text(name)])
    }

    // MARK: Index

    private struct Entry {
        let table: String
        let columns: [String]

        var match: String { columns.map { "\($0) = ?" }.joined(separator: " AND ") }

        static let claim = Entry(table: "_ubq_claim", columns: ["tbl", "columns", "claimed", "key"])
        static let child = Entry(table: "_ubq_child", columns: ["parent", "parent_key", "tbl", "key"])
    }

    private func index(_ row: Record, _ id: RowID, _ rules: TableRules) throws {
        for (entry, values) in entries(of: row, id, rules) {
            // Two references of a row may name the same parent.
            try statements.run("INSERT OR IGNORE INTO \(entry.table) VALUES (?, ?, ?, ?)", values)
        }
    }

    /// Returns the index entries of a live row by its unique values and by its parents.
    private func entries(of row: Record, _ id: RowID, _ rules: TableRules) -> [(Entry, [RecordValue])] {
        var entries: [(Entry, [RecordValue])] = []
        for columns in rules.claims {
            guard let values = row.values(of: columns, id: id, rules: rules) else { continue }
            let claim: [RecordValue] = [
                .text(id.table), .blob(Self.bytes(of: columns)), .blob(Self.bytes(of: values)),
                .blob(id.key.encoded()),
            ]
            entries.append((.claim, claim))
        }
        for parent in row.parents(id: id, rules: rules) { entries.append((.child, parent.stored + id.stored)) }
        return entries
    }

    private static func bytes(of names: [RecordName]) -> [UInt8] {
        var writer = ByteWriter()
        for name in names { writer.append(counted: name.utf8) }
        return writer.bytes
    }

    /// A claim's values are never NULL, so they have a key's encoding.
    private static func bytes(of values: [RecordValue]) -> [UInt8] { RecordKey(values)?.encoded() ?? [] }
}

extension Record {
    var hasAlternatives: Bool { columns.values.contains { !$0.beside.isEmpty } }
}

extension RowID {
    /// The table and the key as stored in the state's tables.
    var stored: [RecordValue] { [.text(table), .blob(key.encoded())] }

    init(stored row: SQLRow) throws {
        guard let table = RecordName(utf8: row[0].bytes) else {
            throw ByteCodingError.invalid("a table without a name")
        }
        self.init(table: table, key: try RecordKey(decoding: row[1].bytes))
    }
}
