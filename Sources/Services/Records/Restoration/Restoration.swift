import Basics
package import CloudModel

/// A device's changes to send again after the cloud went back to an earlier state. Pure.
///
/// The device keeps its folded rows of the former log, and folds the current log from its beginning. Differences are
/// sent, as the work of a new device: positions and numbers of the former log mean nothing in the current log. The
/// newer of two values is determined by the files that the device had folded, and else by their times
/// (``ColumnEdit/restored(_:beside:)``).
package struct Restoration: Sendable {
    /// A change to send.
    package struct Step: Hashable, Sendable {
        package let change: RecordChange
        /// Whether the device knew everything the change replaces.
        package let isKnown: Bool
    }

    /// Each device's last file folded by this device. Numbers are not used again, so a transaction of these files was
    /// known.
    private let known: [DeviceID: UInt64]

    package init(known: [DeviceID: UInt64]) { self.known = known }

    /// Returns how to restore a row's former state; nil if nothing has to be sent.
    ///
    /// - Parameters:
    ///   - kept: The device's former row.
    ///   - present: The current log's row; nil if there is none.
    package func step(_ id: RowID, kept: Record, present: Record?) -> Step? {
        if case .deleted(let deletion) = kept.place { return deleting(id, deletion, present) }
        guard let present else { return Step(change: kept.restoring(id), isKnown: true) }
        if case .deleted(let deletion) = present.place {
            let isKnown = knows(deletion)
            guard isKnown || kept.newestTime > deletion.time else { return nil }
            return Step(change: kept.restoring(id), isKnown: isKnown)
        }
        let edits = kept.columns.filter { !($0.value.isContained(in: present.columns[$0.key])) }
        guard !edits.isEmpty else { return nil }
        let replaced = edits.keys.compactMap { present.columns[$0] }
        return Step(
            change: RecordChange(id, .update, edits: edits.mapValues(\.restoring)),
            isKnown: replaced.allSatisfy { knows($0.stamp) })
    }

    private func deleting(_ id: RowID, _ deletion: RecordStamp, _ present: Record?) -> Step? {
        guard let present else { return nil }
        if case .deleted = present.place { return nil }
        let wasKnown = present.stamps.allSatisfy(knows)
        guard wasKnown || deletion.time >= present.newestTime else { return nil }
        return Step(change: RecordChange(id, .delete), isKnown: true)
    }

    /// Whether the device knew the current log's row: its transactions, or equal values sent again by another device.
    package func knows(_ present: Record?, kept: Record?) -> Bool {
        guard let present else { return true }
        if case .deleted(let deletion) = present.place, !knows(deletion) { return false }
        guard kept != nil || knows(present.created) else { return false }
        return present.columns.allSatisfy { name, column in
            knows(column.stamp) || kept?.columns[name]?.value == column.value
        }
    }

    /// Whether the device had already folded a transaction of the current log in the former log.
    package func knows(_ stamp: RecordStamp) -> Bool {
        known[stamp.device].map { stamp.position.file <= $0 } ?? false
    }
}

extension Record {
    fileprivate var stamps: [RecordStamp] {
        [created] + columns.values.flatMap { [$0.stamp] + $0.beside.map(\.stamp) }
    }

    fileprivate var newestTime: Timestamp { stamps.map(\.time).max() ?? created.time }

    fileprivate func restoring(_ id: RowID) -> RecordChange {
        RecordChange(id, .insert, edits: columns.mapValues(\.restoring))
    }
}

extension RecordColumn {
    fileprivate var restoring: ColumnEdit {
        .restored(
            ColumnEdit.Restored(value, at: stamp.time),
            beside: beside.map { ColumnEdit.Restored($0.value, at: $0.stamp.time) })
    }

    /// Whether a column has this column's values, as the current value or beside it.
    fileprivate func isContained(in other: RecordColumn?) -> Bool {
        guard let other, other.value == value else { return false }
        return beside.allSatisfy { mine in
            mine.value == other.value || other.beside.contains { $0.value == mine.value }
        }
    }
}
