import Records

/// Reads the tables to be shared, and refuses unmergeable tables.
struct SchemaReader {
    let statements: StatementCache

    func tables(_ declared: [UbiquitousTable]) throws -> [TableSchema] {
        var keys: [RecordName: [RecordName]] = [:]
        var names: [(UbiquitousTable, RecordName)] = []
        for table in declared {
            guard let name = RecordName(table.name), !table.name.lowercased().hasPrefix(CaptureTriggers.prefix),
                !table.name.lowercased().hasPrefix("sqlite_"), keys[name] == nil
            else { throw refused(table, "it needs a name of its own that does not begin with _ubq_ or sqlite_") }
            keys[name] = try key(of: table)
            names.append((table, name))
        }
        return try names.map { try read($0, name: $1, keys: keys) }
    }

    private func refused(_ table: UbiquitousTable, _ reason: String) -> UbiquitousDatabaseError {
        .unsharable(table: table.name, reason: reason)
    }

    // MARK: Columns

    private struct Info {
        let name: RecordName
        let type: String
        let isRequired: Bool
        let preset: RecordValue
        /// The place in the primary key, from 1; 0 for a column outside it.
        let keyPlace: Int64
        let isStored: Bool
    }

    private func columns(of table: UbiquitousTable) throws -> [Info] {
        let kind = try statements.first(
            "SELECT type, sql LIKE 'create virtual%' FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type <> 'index' "
                + "AND type <> 'trigger'", [.text(table.name)]
        ) { row in (row[0], row.integer(1) == 1) }
        guard let kind else { throw refused(table, "there is no such table") }
        guard kind.0 == .text("table"), !kind.1 else { throw refused(table, "it is no ordinary table") }
        return try statements.all(
            "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?)", [.text(table.name)]
        ) { row in
            guard let name = RecordName(utf8: row[0].bytes), !name.description.hasPrefix(CaptureTriggers.prefix) else {
                throw refused(table, "a column has a name that is too long or begins with _ubq_")
            }
            return Info(
                name: name, type: String(decoding: row[1].bytes, as: UTF8.self).uppercased(),
                isRequired: row.integer(2) != 0, preset: row[3], keyPlace: row.integer(4), isStored: row.integer(5) == 0
            )
        }
    }

    private func key(of table: UbiquitousTable) throws -> [RecordName] {
        let columns = try columns(of: table)
        let key = columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }
        guard (1...RecordKey.maximumColumns).contains(key.count) else {
            throw refused(table, "it needs a primary key of 1 to \(RecordKey.maximumColumns) columns")
        }
        if key.count == 1, key[0].type == "INTEGER", try !isWithoutRowID(table) {
            throw refused(
                table,
                "two devices would give the number that is its key to two different rows. Use a key that no other device "
                    + "makes, such as a UUID as text")
        }
        if let free = try key.first(where: { try !$0.isRequired && hasNull($0.name, in: table) }) {
            throw refused(table, "it has rows without a key: the column \(free.name) is NULL in them")
        }
        guard key.allSatisfy(\.isStored) else { throw refused(table, "a generated column is part of its primary key") }
        return key.map(\.name)
    }

    /// SQLite accepts NULL in a primary key not declared NOT NULL
    /// (https://sqlite.org/lang_createtable.html#the_primary_key).
    private func hasNull(_ column: RecordName, in table: UbiquitousTable) throws -> Bool {
        let sql = "SELECT 1 FROM \(CaptureTriggers.quoted(table.name)) WHERE \(column.quoted) IS NULL LIMIT 1"
        return try statements.first(sql, [], { _ in true }) ?? false
    }

    private func isWithoutRowID(_ table: UbiquitousTable) throws -> Bool {
        try statements.first(
            "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE", [.text(table.name)]
        ) { $0.integer(0) == 1 } ?? false
    }

    // MARK: Constraints

    private func read(
        _ table: UbiquitousTable, name: RecordName, keys: [RecordName: [RecordName]]
    ) throws -> TableSchema {
        let infos = try columns(of: table)
        let key = keys[name] ?? []
        let others = infos.filter { $0.isStored && $0.keyPlace == 0 }
        guard others.count <= RecordFile.maximumColumns else { throw refused(table, "it has too many columns") }
        let merges = try merges(table, others.map(\.name))
        let columns = try others.map { info in
            TableSchema.Column(name: info.name, preset: try preset(info), merge: merges[info.name] ?? .replace)
        }
        let taken = Set(infos.map(\.name.description))
        let rowid = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
        let unify = try table.unify.map { try known($0, in: infos, of: table) }
        return TableSchema(
            name: name, key: key, nullableKey: infos.filter { $0.keyPlace > 0 && !$0.isRequired }.map(\.name),
            columns: columns, uniques: try uniques(table, infos),
            references: try references(table, keys), unify: unify,
            rowid: try isWithoutRowID(table) ? nil : rowid)
    }

    private func known(_ column: String, in infos: [Info], of table: UbiquitousTable) throws -> RecordName {
        guard let name = RecordName(column), infos.contains(where: { $0.name == name && $0.isStored }) else {
            throw refused(table, "it has no stored column \(column)")
        }
        return name
    }

    private func merges(
        _ table: UbiquitousTable, _ columns: [RecordName]
    ) throws -> [RecordName: TableSchema.Merge] {
        var merges: [RecordName: TableSchema.Merge] = [:]
        for (names, merge) in [
            (table.counters, TableSchema.Merge.counter), (table.sets, .set), (table.conflicts, .conflict),
        ] {
            for column in names {
                guard let name = RecordName(column), columns.contains(name), merges[name] == nil else {
                    throw refused(table, "\(column) is declared twice, or is no stored column outside of the key")
                }
                merges[name] = merge
            }
        }
        return merges
    }

    /// Returns the column's value in rows created without it. An expression such as CURRENT_TIMESTAMP would differ on
    /// each device.
    private func preset(_ info: Info) throws -> RecordValue {
        let text = String(decoding: info.preset.bytes, as: UTF8.self)
        let isLiteral = !text.isEmpty && !text.contains("(") && !text.uppercased().hasPrefix("CURRENT_")
        if isLiteral, let value = try statements.first("SELECT \(text)", [], { $0[0] }), value != .null { return value }
        guard info.isRequired else { return .null }
        // SQLite's type affinity rules (sqlite.org/datatype3.html).
        if info.type.contains("INT") { return .integer(0) }
        if ["CHAR", "CLOB", "TEXT"].contains(where: info.type.contains) { return .text([UInt8]()) }
        return info.type.isEmpty || info.type.contains("BLOB") ? .blob([]) : .integer(0)
    }

    private func uniques(_ table: UbiquitousTable, _ infos: [Info]) throws -> [[RecordName]] {
        let indexes = try statements.all(
            "SELECT name, origin = 'pk', partial FROM pragma_index_list(?) WHERE \"unique\"", [.text(table.name)]
        ) { (name: $0[0], isKey: $0.integer(1) == 1, isPartial: $0.integer(2) == 1) }
        var uniques: Set<[RecordName]> = []
        for index in indexes {
            let columns = try statements.all(
                "SELECT name, coll FROM pragma_index_xinfo(?) WHERE \"key\"", [index.name]
            ) { ($0[0], $0[1]) }
            guard !index.isPartial, columns.allSatisfy({ $0.0 != .null && $0.1 == .text("BINARY") }) else {
                throw refused(
                    table,
                    "its unique index \(String(decoding: index.name.bytes, as: UTF8.self)) has a condition, an expression or "
                        + "another collation than BINARY. Make an index of stored columns in its place")
            }
            if index.isKey { continue }
            uniques.insert(
                try columns.map { try known(String(decoding: $0.0.bytes, as: UTF8.self), in: infos, of: table) })
        }
        return uniques.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func references(
        _ table: UbiquitousTable, _ keys: [RecordName: [RecordName]]
    ) throws -> [TableRules.Reference] {
        var parts: [Int64: (parent: RecordValue, columns: [(from: RecordValue, to: RecordValue)])] = [:]
        try statements.run(
            "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?) ORDER BY id, seq",
            [.text(table.name)]
        ) { row in parts[row.integer(0), default: (row[1], [])].columns.append((row[2], row[3])) }
        return try Set(
            parts.values.map { part in
                let parentName = String(decoding: part.parent.bytes, as: UTF8.self)
                guard let parent = RecordName(parentName), let key = keys[parent], part.columns.count == key.count
                else {
                    throw refused(
                        table, "it refers to \(parentName), which is not shared, or not to its primary key. Share both")
                }
                let names = try key.enumerated().map { place, name in
                    // A reference without the parent's columns means its primary key, in order.
                    let from =
                        part.columns[0].to == .null
                        ? part.columns[place].from : part.columns.first { RecordName(utf8: $0.to.bytes) == name }?.from
                    guard let from, let column = RecordName(utf8: from.bytes) else {
                        throw refused(table, "it refers to other columns of \(parentName) than its primary key")
                    }
                    return column
                }
                return TableRules.Reference(columns: names, table: parent)
            }
        ).sorted()
    }
}
