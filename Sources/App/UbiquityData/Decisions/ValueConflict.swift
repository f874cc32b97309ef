import CloudModel
public import GRDB
import Records

/// Concurrent values written by devices to a column declared `conflict`.
public struct ValueConflict: Hashable, Sendable {
    public struct Candidate: Hashable, Sendable {
        public let value: DatabaseValue
        /// The value's author.
        public let origin: WriteOrigin
        let record: RecordValue
        let device: DeviceID
    }

    public let table: String
    /// The row's primary key columns, in its order.
    public let key: [DatabaseValue]
    /// In lower case.
    public let column: String
    /// The later value, as in the table.
    public let current: Candidate
    /// Its alternatives, oldest first; not empty.
    public let others: [Candidate]

    let row: RowID
    let name: RecordName

    /// The values a person must have seen to decide.
    var seen: Set<Candidate> { Set(others + [current]) }
}
