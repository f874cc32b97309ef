package import Basics
package import CloudModel

/// A transaction's place in the order shared by all devices: its file's version in the log, the file's number on its
/// device, and its place in the file. No clock takes part.
package struct RecordPosition: Hashable, Comparable, Sendable {
    package let version: VersionID
    /// Distinguishes a device's files with the same effective version (``RecordFileOrder``).
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

/// A device's committed transaction.
package struct RecordTransaction: Hashable, Sendable {
    /// The last transaction of the log applied by the device at the time of this commit. It also knows its own earlier
    /// transactions.
    package var base: RecordPosition
    /// The commit's time by the device's clock. It is shown to people and decides nothing.
    package var time: Timestamp
    /// Rows united on the device by its own transactions not yet in the log; ascending by row. If they become two in
    /// the log's order, a change to the missing row applies to the remaining row.
    package var unions: [RowUnion]
    /// The rules of tables new to the device's log, ascending by table.
    package var rules: [TableRules]
    /// At most one for each row, ascending.
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

/// A row united with an older row.
package struct RowUnion: Hashable, Sendable {
    package let row: RowID
    /// The remaining row's key.
    package let key: RecordKey

    package init(row: RowID, key: RecordKey) {
        self.row = row
        self.key = key
    }
}
