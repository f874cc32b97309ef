package import CloudModel
package import Records

/// A store of rows, possibly making a mistake.
package struct FlawedRecords: RecordStore, Equatable, Sendable {
    package private(set) var records = DictionaryRecords()
    private let mistake: RecordMistake?

    package init(_ mistake: RecordMistake? = nil) { self.mistake = mistake }

    package static func == (left: FlawedRecords, right: FlawedRecords) -> Bool { left.records == right.records }

    package func rules(of table: RecordName) -> TableRules? { records.rules(of: table) }
    package mutating func setRules(_ rules: TableRules) { records.setRules(rules) }
    package func row(_ id: RowID) -> Record? { records.row(id) }

    package mutating func put(_ row: Record?, _ id: RowID) {
        if mistake == .forgetsTombstones, case .deleted = row?.place { return records.put(nil, id) }
        records.put(row, id)
    }

    package func alias(of id: RowID) -> RecordAlias? { records.alias(of: id) }

    package mutating func setAlias(_ id: RowID, to target: RecordAlias) {
        if mistake != .forgetsAliases { records.setAlias(id, to: target) }
    }

    package func liveRows(of table: RecordName) -> [RowID] { records.liveRows(of: table) }

    package func rows(matching values: [RecordValue], in table: RecordName, columns: [RecordName]) -> [RowID] {
        mistake == .seesNoTwins ? [] : records.rows(matching: values, in: table, columns: columns)
    }

    package func children(of id: RowID) -> [RowID] { mistake == .seesNoChildren ? [] : records.children(of: id) }
    package func asideRows() -> [RowID] { records.asideRows() }

    package mutating func lose(_ value: LostValue) {
        if mistake != .forgetsLost { records.lose(value) }
    }

    package func lastFile(of device: DeviceID) -> UInt64 { records.lastFile(of: device) }

    package mutating func setLastFile(_ number: UInt64, of device: DeviceID, name: String) {
        records.setLastFile(number, of: device, name: name)
    }

    /// Forgets that the device's last file was folded.
    mutating func forgetFile(of device: DeviceID) {
        guard let known = records.devices[device], known.lastFile > 0 else { return }
        records.setLastFile(known.lastFile - 1, of: device, name: known.name)
    }
}
