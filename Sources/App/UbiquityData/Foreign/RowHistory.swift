public import GRDB
import Records

/// The origin of a row's values, and its lost values.
public struct RowHistory: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        /// In its table.
        case live
        /// Deleted by this device at that time; the columns are those before the deletion.
        case deleted(WriteOrigin)
        /// Complete, and not in its table.
        case aside(AsideRow.Reason)
    }

    public struct Column: Hashable, Sendable {
        /// In lower case.
        public let name: String
        public let value: DatabaseValue
        public let origin: WriteOrigin
        /// Undecided alternatives to the current value, oldest first.
        public let others: [Candidate]
    }

    public struct Candidate: Hashable, Sendable {
        public let value: DatabaseValue
        public let origin: WriteOrigin
    }

    public let table: String
    /// The primary key's columns, in its order.
    public let key: [DatabaseValue]
    public let place: Place
    /// The row's creator.
    public let created: WriteOrigin
    /// All devices' columns except the key's, by name.
    public let columns: [Column]
    /// Values replaced or refused unseen, most recently replaced first.
    public let lost: [LostValue]
}
