import Records

/// Derives the change to a row from its old and new state.
extension TableSchema {
    /// Returns nil if nothing changed. An image is nil if the row did not exist.
    func change(
        of row: RowID, from before: [RecordName: RecordValue]?, to after: [RecordName: RecordValue]?
    ) -> RecordChange? {
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, let after?):
            return RecordChange(row, .insert, edits: after.mapValues { .set($0) })
        case (_?, nil): return RecordChange(row, .delete)
        case (let before?, let after?):
            var edits: [RecordName: ColumnEdit] = [:]
            for column in columns {
                let (old, new) = (before[column.name] ?? column.preset, after[column.name] ?? column.preset)
                if old != new { edits[column.name] = edit(column.merge, from: old, to: new) }
            }
            return edits.isEmpty ? nil : RecordChange(row, .update, edits: edits)
        }
    }

    private func edit(_ merge: Merge, from old: RecordValue, to new: RecordValue) -> ColumnEdit? {
        switch merge {
        case .replace: return .set(new)
        case .conflict: return .offer(new)
        case .counter: return Self.difference(old, new).map { .add($0, result: new) } ?? .set(new)
        case .set:
            guard let before = SetText.members(of: old), let after = SetText.members(of: new) else { return .set(new) }
            let (adding, removing) = (after.subtracting(before), before.subtracting(after))
            // Reordered members are no change.
            return adding.isEmpty && removing.isEmpty ? nil : .members(adding: adding, removing: removing, result: new)
        }
    }

    /// Returns the increment of a number; nil if a value or the difference is not a number.
    private static func difference(_ old: RecordValue, _ new: RecordValue) -> RecordValue? {
        if case .integer(let before) = old, case .integer(let after) = new {
            let (difference, overflow) = after.subtractingReportingOverflow(before)
            return overflow ? nil : .integer(difference)
        }
        guard let before = old.double, let after = new.double else { return nil }
        let difference = RecordValue.number(after - before)
        return difference == .null ? nil : difference
    }
}

extension RecordValue {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text, .blob: nil
        }
    }
}
