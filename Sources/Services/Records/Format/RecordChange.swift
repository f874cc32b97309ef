package import Basics

/// What a transaction did to a column. The device that writes says how the edit merges, so that others need not know the declaration.
package enum ColumnEdit: Hashable, Sendable {
    /// The later edit wins; what it replaced unseen is kept in the history.
    case set(RecordValue)
    /// The later edit wins; what it replaced unseen stays beside it until a person decides (a column declared `conflict`).
    case offer(RecordValue)
    /// Adds a number to what is there (`counter`). `result` is what the writer got; it counts where there is no number to add to.
    case add(RecordValue, result: RecordValue)
    /// Adds and removes members (`set`). `result` is what the writer got; it counts where there is no set.
    case members(adding: Set<RecordValue>, removing: Set<RecordValue>, result: RecordValue)
    /// A value that the writer's device had before the cloud went back, with those that stood beside it. It counts if the transaction knew the
    /// current one, or was written later; an equal value is no edit, so several devices may send the same (``Restoration``).
    case restored(Restored, beside: [Restored])

    /// A value with the time when a device wrote it.
    package struct Restored: Hashable, Sendable {
        package let value: RecordValue
        package let time: Timestamp

        package init(_ value: RecordValue, at time: Timestamp) { (self.value, self.time) = (value, time) }
    }

    /// The value that the column had on the writer's device.
    package var result: RecordValue {
        switch self {
        case .set(let value), .offer(let value), .add(_, let value), .members(_, _, let value): value
        case .restored(let restored, _): restored.value
        }
    }
}

/// What a transaction did to one row, all of its statements together.
package struct RecordChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The row was not there before. The edits are all of its columns but the key.
        case insert
        /// The edits are the columns that changed.
        case update
        case delete
        /// The values that stood beside these columns are settled: the current ones stay (``ColumnEdit/offer(_:)``).
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
