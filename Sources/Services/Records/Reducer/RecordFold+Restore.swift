/// A device's changes sent again after the cloud went back. Several devices may send the same, in any order: an equal
/// value is no edit, and of two values the later counts if neither device knew of the other's.
extension RecordFold {
    /// Whether a deletion unknown to the transaction is later than everything the change brings back.
    func isOutlived(
        _ change: RecordChange, by deletion: RecordStamp, _ id: RowID, as key: RecordKey
    ) throws -> Bool {
        let times = change.edits.values.compactMap { edit in
            if case .restored(let restored, _) = edit { restored.time } else { nil }
        }
        guard let newest = times.max(), deletion.time >= newest else { return false }
        return try !knew(of: deletion, id: id, as: key)
    }

    mutating func merge(
        _ restored: ColumnEdit.Restored, _ beside: [ColumnEdit.Restored], into column: RecordColumn, wasKnown: Bool,
        _ name: RecordName, _ id: RowID, _ stamp: RecordStamp
    ) throws -> RecordColumn {
        var result = column
        if restored.value == column.value {
            // The sender's later transactions know the value.
            result.stamp = stamp.at(max(restored.time, column.stamp.time))
        } else {
            let returning = RecordColumn(
                value: restored.value, stamp: stamp.at(restored.time), beside: column.beside)
            if wasKnown || restored.time > column.stamp.time {
                result = returning
                if !wasKnown { try lose(column, name, id, to: stamp, .replaced) }
            } else {
                try lose(returning, name, id, to: column.stamp, .replaced)
            }
        }
        for other in beside
        where other.value != result.value && !result.beside.contains(where: { $0.value == other.value }) {
            result.beside.append(RecordColumn.Alternative(value: other.value, stamp: stamp.at(other.time)))
        }
        return result
    }
}
