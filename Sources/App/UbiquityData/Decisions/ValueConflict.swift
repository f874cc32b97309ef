import CloudModel
public import GRDB
import Records

/// The values that devices wrote, without knowing of each other, to a column declared `conflict`.
public struct ValueConflict: Hashable, Sendable {
    public struct Candidate: Hashable, Sendable {
        public let value: DatabaseValue
        /// Who wrote it.
        public let origin: WriteOrigin
        let record: RecordValue
        let device: DeviceID
    }

    public let table: String
    /// The columns of the row's primary key, in its order.
    public let key: [DatabaseValue]
    /// In lower case.
    public let column: String
    /// The later value, which the table has.
    public let current: Candidate
    /// What stands beside it, oldest first; not empty.
    public let others: [Candidate]

    let row: RowID
    let name: RecordName

    /// What a person who decides has to have seen.
    var seen: Set<Candidate> { Set(others + [current]) }
}
