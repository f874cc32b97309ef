public import GRDB
import Records

/// Who wrote what a row is made of, and what did not remain of it.
public struct RowHistory: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        /// In its table.
        case live
        /// Deleted by this device at that time; the columns are those that it had.
        case deleted(WriteOrigin)
        /// Complete, and not in its table.
        case aside(AsideRow.Reason)
    }

    public struct Column: Hashable, Sendable {
        /// In lower case.
        public let name: String
        public let value: DatabaseValue
        public let origin: WriteOrigin
        /// Values that wait for a decision beside the current one, oldest first.
        public let others: [Candidate]
    }

    public struct Candidate: Hashable, Sendable {
        public let value: DatabaseValue
        public let origin: WriteOrigin
    }

    public let table: String
    /// The columns of the primary key, in its order.
    public let key: [DatabaseValue]
    public let place: Place
    /// Who made the row.
    public let created: WriteOrigin
    /// The columns of all devices but those of the key, by name.
    public let columns: [Column]
    /// What was replaced or refused unseen, the last to be replaced first.
    public let lost: [LostValue]
}
