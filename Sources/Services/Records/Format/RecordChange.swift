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

    /// The value that the column had on the writer's device.
    package var result: RecordValue {
        switch self {
        case .set(let value), .offer(let value), .add(_, let value), .members(_, _, let value): value
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
