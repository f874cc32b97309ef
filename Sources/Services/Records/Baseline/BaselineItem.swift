/// A piece of a baseline's folded log.
package enum BaselineItem: Hashable, Sendable {
    /// A row, live, aside or deleted.
    case row(RowID, Record)
    /// The former key of a united row.
    case alias(RowID, RecordAlias)
    case lost(LostValue)
}
