import Basics
import CloudModel
import Records

/// A shared database of notes and tags for tests, and its devices' log.
struct RecordSample {
    static let tag = name("tag"), note = name("note"), label = name("label")

    private(set) var records = DictionaryRecords()
    private var sequence: UInt64 = 0
    private var files: [UInt64: UInt64] = [:]

    init(_ rules: [TableRules] = []) throws {
        if !rules.isEmpty { try fold(by: 9, rules: rules, []) }
    }

    static func name(_ text: String) -> RecordName { RecordName(text) ?? tag }

    static func row(_ table: RecordName, _ key: RecordValue...) -> RowID {
        guard let key = RecordKey(key) else { preconditionFailure("a key without values, or with NULL") }
        return RowID(table: table, key: key)
    }

    static func reference(_ column: String, _ table: RecordName) -> TableRules.Reference {
        TableRules.Reference(columns: [name(column)], table: table)
    }

    static func insert(_ row: RowID, _ values: [String: RecordValue]) -> RecordChange {
        RecordChange(row, .insert, edits: edits(values.mapValues { .set($0) }))
    }

    static func update(_ row: RowID, _ edit: [String: ColumnEdit]) -> RecordChange {
        RecordChange(row, .update, edits: edits(edit))
    }

    private static func edits(_ edits: [String: ColumnEdit]) -> [RecordName: ColumnEdit] {
        Dictionary(uniqueKeysWithValues: edits.map { (name($0.key), $0.value) })
    }

    /// The last transaction in the log.
    var end: RecordPosition {
        RecordPosition(version: VersionID(sequence: LogSequence(sequence), index: 0), file: .max, place: .max)
    }

    /// Folds a transaction of a device that knew the log up to `base`; nil is all of it.
    @discardableResult
    mutating func fold(
        by device: UInt64, knowing base: RecordPosition? = nil, rules: [TableRules] = [], unions: [RowUnion] = [],
        _ changes: [RecordChange]
    ) throws -> Set<RowID> {
        let base = base ?? end
        sequence += 1
        files[device, default: 0] += 1
        let transaction = RecordTransaction(
            base: base, time: Timestamp(seconds: 1_000 - Int64(sequence)), unions: unions, rules: rules,
            changes: changes)
        let file = RecordFile(
            store: ItemID(high: 1, low: 2), device: DeviceID(device), deviceName: "desk \(device)",
            number: files[device] ?? 1, transactions: [transaction])
        let version = VersionID(sequence: LogSequence(sequence), index: 0)
        return try RecordReducer().fold(try RecordFile(decoding: file.encoded()), at: version, into: &records)
    }

    func value(_ row: RowID, _ column: String) -> RecordValue? {
        records.row(row)?.columns[Self.name(column)]?.value
    }

    func isLive(_ row: RowID) -> Bool { records.row(row)?.isLive ?? false }
}
