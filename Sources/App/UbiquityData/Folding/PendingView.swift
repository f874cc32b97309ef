import Basics
import CloudModel
import GRDB
import Records

/// The folded log with the device's pending transactions after it, as if they were at the log's end.
///
/// They are folded in a savepoint and rolled back, so that the stored state is the log's alone, without a list of
/// undone changes that might be wrong.
struct PendingView {
    let statements: StatementCache
    let state: StoreState
    let now: Timestamp
    /// Cache of the preceding fold. It is not used after the view.
    var cache = RecordCache()

    /// Runs `body` with the view and with the rows touched by pending transactions.
    func read<T>(_ body: (StoredRecords, Set<RowID>) throws -> T) throws -> T {
        var outcome: Result<T, any Error>?
        try statements.db.inSavepoint {
            outcome = Result {
                var records = StoredRecords(statements: statements, now: now, cache: cache)
                let touched = try fold(into: &records)
                return try body(records, touched)
            }
            return .rollback
        }
        guard let outcome else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return try outcome.get()
    }

    private func fold(into records: inout StoredRecords) throws -> Set<RowID> {
        var touched: Set<RowID> = []
        let pending = try statements.all("SELECT id FROM _ubq_pending ORDER BY id") { $0[0] }
        var place: UInt32 = 0
        for id in pending {
            let body = try statements.first("SELECT body FROM _ubq_pending WHERE id = ?", [id]) { $0[0].bytes } ?? []
            for transaction in try RecordFile(decoding: body).transactions {
                let position = RecordPosition(version: StoredRecords.end, file: 0, place: place)
                place = place.addingReportingOverflow(1).partialValue
                touched.formUnion(
                    try RecordReducer().fold(transaction, of: state.device, at: position, into: &records))
            }
        }
        return touched
    }
}
