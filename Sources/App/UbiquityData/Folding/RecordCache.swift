import Records

/// Rows and rules that a fold has read or written, decoded. A fold examines each row several times.
///
/// It belongs to one transaction of the database, and is no longer used once a part of that was rolled back.
final class RecordCache {
    /// The rows are dropped when their encodings exceed this size: decoded they take about ten times as much.
    private static let maximumBytes = 16 << 20
    private var rows: [RowID: Record?] = [:]
    private var rules: [RecordName: TableRules?] = [:]
    private var bytes = 0

    /// Returns nil if the row is not known; a row that is not there has the value nil.
    func row(_ id: RowID) -> Record?? { rows[id] }

    /// - Parameter size: Of the row's encoding.
    func note(_ row: Record?, _ id: RowID, size: Int) {
        bytes += size + 64
        if bytes > Self.maximumBytes {
            rows.removeAll(keepingCapacity: true)
            bytes = size + 64
        }
        rows[id] = .some(row)
    }

    func rules(of table: RecordName) -> TableRules?? { rules[table] }

    func note(_ new: TableRules?, of table: RecordName) { rules[table] = .some(new) }
}
