public import GRDB
import Records

/// A committed value replaced or refused by the log, although the replacing device did not know of it.
public struct LostValue: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// A later edit of the column.
        case replaced
        /// Another row had the value of the unique columns first. `key` names that row.
        case valueTaken(key: [DatabaseValue])
        /// Its parent is missing or set aside.
        case parentMissing(table: String, key: [DatabaseValue])
        /// Two rows with the same natural key were united, and the other row had the later value.
        case united
        /// Deletion of a row that another device edited, or gave a child, at the same time.
        case deletionRefused
    }

    public let table: String
    /// The row's primary key columns, in its order, as currently in the table.
    public let key: [DatabaseValue]
    /// In lower case. Nil for a deletion.
    public let column: String?
    /// NULL for a deletion.
    public let value: DatabaseValue
    /// The value's author.
    public let origin: WriteOrigin
    /// The author of the replacing transaction.
    public let replacedBy: WriteOrigin
    public let reason: Reason
    /// The column's current value. Nil for a deletion, and if the row or the column is not in this device's table.
    public let current: DatabaseValue?

    /// The exact value and the transactions, as stored.
    let record: Records.LostValue
    /// The row it belongs to now.
    let row: RowID
}

extension LostValue.Reason {
    init(_ reason: Records.LostValue.Reason) {
        switch reason {
        case .replaced: self = .replaced
        case .clash(let key): self = .valueTaken(key: key.databaseValues)
        case .orphan(let parent): self = .parentMissing(table: parent.table.description, key: parent.key.databaseValues)
        case .united: self = .united
        case .deletionRefused: self = .deletionRefused
        }
    }
}

extension RecordKey {
    var databaseValues: [DatabaseValue] { values.map(\.databaseValue) }
}
