import Basics
import CloudModel
import CloudStorage
import Records

extension FuzzTarget {
    /// Files of transactions of shared databases: decoded, encoded again, and folded after a log of a few rows. The checksum is set right,
    /// because a fuzzer does not guess it.
    static let records = FuzzTarget(name: "record") { bytes in
        _ = SetText.members(of: .text(bytes)).map { SetText.text(of: $0) }
        guard bytes.count > 9 else { return accepted { try RecordFile(decoding: bytes) } != nil }
        var checked = ByteWriter()
        checked.append(raw: bytes[..<5])
        checked.append(fixed: CRC32C.checksum(Array(bytes[9...])))
        checked.append(raw: bytes[9...])
        guard let file = accepted({ try RecordFile(decoding: checked.bytes) }) else { return false }
        let again = accepted { try file.encoded() }
        try Violation.unless(again == checked.bytes, "a file that is encoded again differs")
        try fold(file)
        return true
    } seeds: {
        [try RecordSamples.first.encoded(), try RecordSamples.second.encoded()]
    }

    private static func fold(_ file: RecordFile) throws {
        var file = file
        (file.number, file.device) = (1, DeviceID(7))
        var (records, others) = (RecordSamples.records, RecordSamples.records)
        let version = VersionID(sequence: LogSequence(9), index: 0)
        let rows = accepted { try RecordReducer().fold(file, at: version, into: &records) }
        _ = accepted { try RecordReducer().fold(file, at: version, into: &others) }
        try Violation.unless(rows != nil && records == others, "two devices fold one file differently")
        for (id, row) in records.rows where row.isLive {
            guard let rules = records.rules[id.table] else { continue }
            for parent in row.parents(id: id, rules: rules) {
                try Violation.unless(records.rows[parent]?.isLive == true, "a live row has no live parent")
            }
            for columns in rules.claims {
                guard let values = row.values(of: columns, id: id, rules: rules) else { continue }
                let holders = records.rows(matching: values, in: id.table, columns: columns)
                try Violation.unless(holders == [id], "two live rows have the same unique values")
            }
        }
    }
}

/// Two files with each kind of change.
enum RecordSamples {
    private static func name(_ text: String) throws -> RecordName {
        guard let name = RecordName(text) else { throw Violation("\(text) is no name") }
        return name
    }

    private static func row(_ table: String, _ key: RecordValue...) throws -> RowID {
        guard let key = RecordKey(key) else { throw Violation("no key") }
        return RowID(table: try name(table), key: key)
    }

    private static func file(_ device: UInt64, _ transactions: [RecordTransaction]) -> RecordFile {
        RecordFile(
            store: ItemID(high: 1, low: 2), device: DeviceID(device), deviceName: "desk \(device)", number: 1,
            transactions: transactions)
    }

    static var first: RecordFile {
        get throws {
            let rules = [
                TableRules(table: try name("tag"), key: [try name("id")], unify: [try name("name")]),
                TableRules(
                    table: try name("note"), key: [try name("id")], uniques: [[try name("title")]],
                    references: [TableRules.Reference(columns: [try name("tag")], table: try name("tag"))]),
            ]
            let changes = [
                RecordChange(try row("tag", .text("t")), .insert, edits: [try name("name"): .set(.text("red"))]),
                RecordChange(
                    try row("note", .blob([1, 2])), .insert,
                    edits: [
                        try name("title"): .set(.text("a")), try name("tag"): .set(.text("t")),
                        try name("size"): .set(.real(1.5)), try name("count"): .set(.integer(-3)),
                        try name("labels"): .set(.text(#"["x",1]"#)), try name("body"): .set(.null),
                    ]),
            ]
            return file(1, [RecordTransaction(base: .start, time: .zero, rules: rules, changes: changes)])
        }
    }

    static var second: RecordFile {
        get throws {
            let note = try row("note", .blob([1, 2]))
            let base = RecordPosition(version: VersionID(sequence: LogSequence(300), index: 1), file: 1, place: 0)
            let edits: [RecordName: ColumnEdit] = [
                try name("body"): .offer(.text("b")), try name("count"): .add(.integer(2), result: .integer(-1)),
                try name("labels"): .members(adding: [.text("y")], removing: [.integer(1)], result: .text("[]")),
            ]
            let union = RowUnion(row: try row("tag", .text("u")), key: try row("tag", .text("t")).key)
            return file(
                2,
                [
                    RecordTransaction(
                        base: base, time: .zero, unions: [union], changes: [RecordChange(note, .update, edits: edits)]),
                    RecordTransaction(
                        base: base, time: .zero, changes: [RecordChange(note, .resolve([try name("body")]))]),
                    RecordTransaction(
                        base: .start, time: .zero,
                        changes: [
                            RecordChange(try row("tag", .text("t")), .delete),
                            RecordChange(
                                try row("tag", .text("u")), .insert, edits: [try name("name"): .set(.text("red"))]),
                        ]),
                ])
        }
    }

    /// The rows of both files.
    static let records: DictionaryRecords = {
        var records = DictionaryRecords()
        for (number, file) in [try? first, try? second].enumerated() {
            guard let file else { continue }
            let version = VersionID(sequence: LogSequence(UInt64(number + 1)), index: 0)
            _ = try? RecordReducer().fold(file, at: version, into: &records)
        }
        return records
    }()
}
