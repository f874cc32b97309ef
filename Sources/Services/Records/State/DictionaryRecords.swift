package import CloudModel

/// A folded log in memory.
package struct DictionaryRecords: RecordStore, Equatable, Sendable {
    package private(set) var rules: [RecordName: TableRules] = [:]
    package private(set) var rows: [RowID: Record] = [:]
    package private(set) var aliases: [RowID: RecordAlias] = [:]
    /// In the order of their loss.
    package private(set) var lost: [LostValue] = []
    package private(set) var devices: [DeviceID: Device] = [:]
    private var index = RecordIndex()

    package struct Device: Hashable, Sendable {
        package var lastFile: UInt64
        package var name: String
    }

    package init() {}

    package func rules(of table: RecordName) -> TableRules? { rules[table] }

    package mutating func setRules(_ new: TableRules) {
        let old = rules.updateValue(new, forKey: new.table)
        for (id, row) in rows where id.table == new.table {
            if let old { index.remove(row, id, old) }
            index.insert(row, id, new)
        }
    }

    package func row(_ id: RowID) -> Record? { rows[id] }

    package mutating func put(_ row: Record?, _ id: RowID) {
        let old = rows[id]
        rows[id] = row
        if let old { index.remove(old, id, rules[id.table]) }
        if let row { index.insert(row, id, rules[id.table]) }
    }

    package func alias(of id: RowID) -> RecordAlias? { aliases[id] }

    package mutating func setAlias(_ id: RowID, to target: RecordAlias) { aliases[id] = target }

    package func liveRows(of table: RecordName) -> [RowID] {
        rows.filter { $0.key.table == table && $0.value.isLive }.keys.sorted()
    }

    package func rows(matching values: [RecordValue], in table: RecordName, columns: [RecordName]) -> [RowID] {
        index.matches[RecordIndex.Claim(table: table, columns: columns, values: values)]?.sorted() ?? []
    }

    package func children(of id: RowID) -> [RowID] { index.children[id]?.sorted() ?? [] }

    package func asideRows() -> [RowID] { index.aside.sorted() }

    package mutating func lose(_ value: LostValue) { lost.append(value) }

    /// Drops values lost by transactions up to `position`. Its owner knows their age.
    package mutating func forgetLost(through position: RecordPosition) {
        lost.removeAll { $0.winner.position <= position }
    }

    package func lastFile(of device: DeviceID) -> UInt64 { devices[device]?.lastFile ?? 0 }

    package mutating func setLastFile(_ number: UInt64, of device: DeviceID, name: String) {
        devices[device] = Device(lastFile: number, name: name)
    }
}

/// Finds live rows by their unique values and by their parents.
private struct RecordIndex: Equatable, Sendable {
    struct Claim: Hashable, Sendable {
        let table: RecordName
        let columns: [RecordName]
        let values: [RecordValue]
    }

    var matches: [Claim: Set<RowID>] = [:]
    var children: [RowID: Set<RowID>] = [:]
    var aside: Set<RowID> = []

    mutating func insert(_ row: Record, _ id: RowID, _ rules: TableRules?) {
        if row.isAside { aside.insert(id) }
        guard row.isLive, let rules else { return }
        for claim in Self.claims(of: row, id, rules) { matches[claim, default: []].insert(id) }
        for parent in row.parents(id: id, rules: rules) { children[parent, default: []].insert(id) }
    }

    mutating func remove(_ row: Record, _ id: RowID, _ rules: TableRules?) {
        aside.remove(id)
        guard row.isLive, let rules else { return }
        for claim in Self.claims(of: row, id, rules) { matches.remove(id, from: claim) }
        for parent in row.parents(id: id, rules: rules) { children.remove(id, from: parent) }
    }

    private static func claims(of row: Record, _ id: RowID, _ rules: TableRules) -> Set<Claim> {
        Set(
            rules.claims.compactMap { columns in
                row.values(of: columns, id: id, rules: rules).map {
                    Claim(table: id.table, columns: columns, values: $0)
                }
            })
    }
}

extension Dictionary where Value == Set<RowID> {
    fileprivate mutating func remove(_ id: RowID, from key: Key) {
        self[key]?.remove(id)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
