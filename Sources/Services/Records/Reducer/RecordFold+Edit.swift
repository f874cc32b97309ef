/// Inserts and updates: the later edit of a column wins, and values it replaced unseen are kept.
extension RecordFold {
    mutating func insert(_ change: RecordChange, _ id: RowID, as key: RecordKey) throws {
        guard let row = try store.row(id) else {
            return try put(change.newRow(stamp(for: id, as: key)), id)
        }
        if case .deleted(let deletion) = row.place, try knew(of: deletion, id: id, as: key) {
            // The device inserted the row again, aware of the deletion.
            return try put(change.newRow(stamp(for: id, as: key)), id)
        }
        try merge(change, into: row, id, as: key)
    }

    mutating func update(_ change: RecordChange, _ id: RowID, as key: RecordKey) throws {
        guard let row = try store.row(id) else {
            return try put(change.newRow(stamp(for: id, as: key)), id)
        }
        try merge(change, into: row, id, as: key)
    }

    private mutating func merge(
        _ change: RecordChange, into present: Record, _ id: RowID, as key: RecordKey
    ) throws {
        var row = present
        if case .deleted(let deletion) = row.place {
            if try isOutlived(change, by: deletion, id, as: key) { return touch(id) }
            try revive(&row, id, deletion)
        }
        let stamp = stamp(for: id, as: key)
        for (name, edit) in change.edits.sorted(by: { $0.key < $1.key }) {
            guard let column = row.columns[name] else {
                row.columns[name] = edit.newColumn(stamp)
                continue
            }
            let wasKnown = try knew(of: column.stamp, id: id, as: key)
            row.columns[name] = try merge(edit, into: column, wasKnown: wasKnown, name, id, stamp)
        }
        if case .insert = change.kind, change.isRestored { row.created = stamp }
        try put(row, id)
    }

    private mutating func merge(
        _ edit: ColumnEdit, into column: RecordColumn, wasKnown: Bool, _ name: RecordName, _ id: RowID,
        _ stamp: RecordStamp
    ) throws -> RecordColumn {
        if case .restored(let restored, let beside) = edit {
            return try merge(restored, beside, into: column, wasKnown: wasKnown, name, id, stamp)
        }
        let merged = edit.merged(into: column.value)
        var result = RecordColumn(value: merged ?? edit.result, stamp: stamp, beside: column.beside)
        guard merged == nil, !wasKnown else { return result }
        if case .offer = edit, result.value != column.value {
            result.beside.append(RecordColumn.Alternative(value: column.value, stamp: column.stamp))
        } else {
            // Even an equal value: the next edit may replace it without knowing of this one.
            try lose(column, name, id, to: stamp, .replaced)
        }
        return result
    }

    /// Drops those values beside the columns that the deciding device knew of.
    mutating func decide(_ columns: Set<RecordName>, _ id: RowID, as key: RecordKey) throws {
        guard var row = try store.row(id) else { return }
        for name in columns.sorted() {
            guard var column = row.columns[name] else { continue }
            column.beside = try column.beside.filter { try !knew(of: $0.stamp, id: id, as: key) }
            row.columns[name] = column
        }
        try put(row, id)
    }

    /// Revives a deleted row; the deletion is recorded as lost.
    mutating func revive(_ row: inout Record, _ id: RowID, _ deletion: RecordStamp) throws {
        row.place = .live
        try store.lose(
            LostValue(
                row: id, column: nil, value: .null, stamp: deletion, winner: stamp, reason: .deletionRefused))
    }

    mutating func lose(
        _ column: RecordColumn, _ name: RecordName, _ id: RowID, to winner: RecordStamp, _ reason: LostValue.Reason
    ) throws {
        try store.lose(
            LostValue(
                row: id, column: name, value: column.value, stamp: column.stamp, winner: winner, reason: reason))
    }
}

extension RecordChange {
    /// Whether the change brings back its device's row from before the cloud went back.
    fileprivate var isRestored: Bool {
        edits.values.contains { if case .restored = $0 { true } else { false } }
    }

    /// Returns the change's new row, if there is none. Updates create rows too: nothing committed is dropped.
    fileprivate func newRow(_ stamp: RecordStamp) -> Record {
        Record(columns: edits.mapValues { $0.newColumn(stamp) }, created: stamp)
    }
}

extension ColumnEdit {
    /// Returns the edit's new column, if there is none.
    fileprivate func newColumn(_ stamp: RecordStamp) -> RecordColumn {
        guard case .restored(let restored, let beside) = self else { return RecordColumn(value: result, stamp: stamp) }
        return RecordColumn(
            value: restored.value, stamp: stamp.at(restored.time),
            beside: beside.map { RecordColumn.Alternative(value: $0.value, stamp: stamp.at($0.time)) })
    }

    /// Returns the column's value after a change adding to the current value; nil for a replacing edit.
    fileprivate func merged(into present: RecordValue) -> RecordValue? {
        switch self {
        case .set, .offer, .restored: return nil
        case .add(let delta, _): return present.adding(delta)
        case .members(let adding, let removing, _):
            guard let members = SetText.members(of: present) else { return nil }
            return SetText.text(of: members.subtracting(removing).union(adding))
        }
    }
}

extension RecordValue {
    /// Returns the sum of two numbers as SQLite computes it: for integers an integer, or a real number on overflow. Nil
    /// unless both are numbers.
    func adding(_ delta: RecordValue) -> RecordValue? {
        if case .integer(let one) = self, case .integer(let two) = delta {
            let (sum, overflow) = one.addingReportingOverflow(two)
            return overflow ? .number(Double(one) + Double(two)) : .integer(sum)
        }
        guard let one = double, let two = delta.double else { return nil }
        return .number(one + two)
    }

    private var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text, .blob: nil
        }
    }
}
