package import Basics
package import CloudModel

/// Where a transaction is in the order that all devices share: the version that the log gave to its file, the device's number of the file,
/// and its place in the file. No clock takes part.
package struct RecordPosition: Hashable, Comparable, Sendable {
    package let version: VersionID
    /// Distinguishes the files of one device that count under one version (``RecordFileOrder``).
    package let file: UInt64
    package let place: UInt32

    package init(version: VersionID, file: UInt64, place: UInt32) {
        self.version = version
        self.file = file
        self.place = place
    }

    /// Before every transaction.
    package static let start = RecordPosition(
        version: VersionID(sequence: LogSequence(0), index: 0), file: 0, place: 0)

    package static func < (left: RecordPosition, right: RecordPosition) -> Bool {
        (left.version, left.file, left.place) < (right.version, right.file, right.place)
    }
}

/// A committed transaction of one device.
package struct RecordTransaction: Hashable, Sendable {
    /// The last transaction of the log that the device had applied when it committed this one. Its own earlier ones it knows as well.
    package var base: RecordPosition
    /// When the device's clock says that it was committed. It is shown to people and decides nothing.
    package var time: Timestamp
    /// Rows that were one on the device because of its transactions that the log did not have yet; ascending by row. If they become two in
    /// the log's order, a change of the one that is not there concerns the other.
    package var unions: [RowUnion]
    /// The rules of tables that were new to the device's log, ascending by table.
    package var rules: [TableRules]
    /// One for each row, ascending.
    package var changes: [RecordChange]

    /// Brings rules and changes into their order.
    package init(
        base: RecordPosition, time: Timestamp, unions: [RowUnion] = [], rules: [TableRules] = [],
        changes: [RecordChange]
    ) {
        self.base = base
        self.time = time
        self.unions = unions.sorted { $0.row < $1.row }
        self.rules = rules.sorted { $0.table < $1.table }
        self.changes = changes.sorted { $0.row < $1.row }
    }
}

/// A row that became another one.
package struct RowUnion: Hashable, Sendable {
    package let row: RowID
    /// The key of the row that stayed.
    package let key: RecordKey

    package init(row: RowID, key: RecordKey) {
        self.row = row
        self.key = key
    }
}
