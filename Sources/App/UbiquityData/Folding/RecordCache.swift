import Records

/// Decoded rows and rules read or written by a fold. A fold examines each row several times.
///
/// It belongs to a single transaction of the database, and is not used after a partial rollback.
final class RecordCache {
    /// The rows are dropped when their encodings exceed this size: decoded rows take about ten times as much.
    private static let maximumBytes = 16 << 20
    private var rows: [RowID: Record?] = [:]
    private var rules: [RecordName: TableRules?] = [:]
    private var bytes = 0

    /// Returns nil if the row is not cached; a missing row has the value nil.
    func row(_ id: RowID) -> Record?? { rows[id] }

    /// - Parameter size: The size of the row's encoding.
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
