/// A piece of the folded log, as a baseline carries it.
package enum BaselineItem: Hashable, Sendable {
    /// A row, live, aside or deleted.
    case row(RowID, Record)
    /// A key of a row that became another one.
    case alias(RowID, RecordAlias)
    case lost(LostValue)
}
