package import Basics

/// A transaction's edit of a column. The writing device decides how the edit merges, so that readers need not know the
/// declaration.
package enum ColumnEdit: Hashable, Sendable {
    /// The later edit wins; a value it replaced unseen is kept in the history.
    case set(RecordValue)
    /// The later edit wins; a value it replaced unseen stays beside it until a person decides (a column declared
    /// `conflict`).
    case offer(RecordValue)
    /// Adds a number to the current value (`counter`). `result` is the writer's result, for use if the current value is
    /// not a number.
    case add(RecordValue, result: RecordValue)
    /// Adds and removes members (`set`). `result` is the writer's result, for use if the current value is not a set.
    case members(adding: Set<RecordValue>, removing: Set<RecordValue>, result: RecordValue)
    /// The writer's value from before the cloud went back, with the values beside it. It counts if the transaction knew
    /// the current value, or was written later; an equal value is no edit, so several devices may send the same
    /// (``Restoration``).
    case restored(Restored, beside: [Restored])

    /// A value with the time when a device wrote it.
    package struct Restored: Hashable, Sendable {
        package let value: RecordValue
        package let time: Timestamp

        package init(_ value: RecordValue, at time: Timestamp) { (self.value, self.time) = (value, time) }
    }

    /// The column's value on the writer's device.
    package var result: RecordValue {
        switch self {
        case .set(let value), .offer(let value), .add(_, let value), .members(_, _, let value): value
        case .restored(let restored, _): restored.value
        }
    }
}

/// A transaction's changes to a row, all statements together.
package struct RecordChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The row did not exist before. The edits are all its non-key columns.
        case insert
        /// The edits are the changed columns.
        case update
        case delete
        /// The values beside these columns are settled: the current values stay (``ColumnEdit/offer(_:)``).
        case resolve(Set<RecordName>)
    }

    package let row: RowID
    package let kind: Kind
    package let edits: [RecordName: ColumnEdit]

    package init(_ row: RowID, _ kind: Kind, edits: [RecordName: ColumnEdit] = [:]) {
        self.row = row
        self.kind = kind
        self.edits = edits
    }
}
