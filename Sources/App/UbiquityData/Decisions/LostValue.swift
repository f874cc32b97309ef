public import GRDB
import Records

/// A value that a device committed, and that the log replaced or refused although the device that did so did not know of it.
public struct LostValue: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// A later edit of the column.
        case replaced
        /// Another row had the value first, and the columns are unique. `key` names that row.
        case valueTaken(key: [DatabaseValue])
        /// The parent that it named is not there, or stands aside.
        case parentMissing(table: String, key: [DatabaseValue])
        /// Two rows with one natural key became one, and the other had the later value.
        case united
        /// A deletion of a row that another device edited, or gave a child, at the same time.
        case deletionRefused
    }

    public let table: String
    /// The columns of the row's primary key, in its order, as the table has them now.
    public let key: [DatabaseValue]
    /// In lower case. Nil for a deletion.
    public let column: String?
    /// NULL for a deletion.
    public let value: DatabaseValue
    /// Who wrote it.
    public let origin: WriteOrigin
    /// Who wrote the transaction after which it was gone.
    public let replacedBy: WriteOrigin
    public let reason: Reason
    /// What the column has now. Nil for a deletion, and if the row or the column is not in this device's table.
    public let current: DatabaseValue?

    /// The exact value and the transactions, as stored.
    let record: Records.LostValue
    /// The row that it belongs to now.
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
