import GRDB
import GRDBSQLite

/// Counts SQLite's work on a connection: pages by the connection's cache, and steps of each statement. The figures are
/// exact, whatever else runs on the machine.
final class StatementMeter {
    struct Counts {
        /// Statements run to their end or reset.
        var statements = 0
        /// Instructions of SQLite's virtual machine.
        var steps = 0
        /// Steps of scans without an index.
        var scans = 0
        /// Sorts without an index.
        var sorts = 0
        /// Pages missing from the connection's cache.
        var misses = 0
        /// Pages in the connection's cache.
        var hits = 0
        /// Pages written to the write-ahead log.
        var writes = 0

        static func + (left: Counts, right: Counts) -> Counts {
            Counts(
                statements: left.statements + right.statements, steps: left.steps + right.steps,
                scans: left.scans + right.scans, sorts: left.sorts + right.sorts, misses: left.misses + right.misses,
                hits: left.hits + right.hits, writes: left.writes + right.writes)
        }
    }

    /// The counts since the last ``reset()`` by the text of the statement, without pages.
    private(set) var statements: [String: Counts] = [:]
    /// The texts of all executed statements.
    private(set) var texts: Set<String> = []
    private let connection: SQLiteConnection
    private var before = Counts()

    /// Starts counting on the connection of `db`, which must stay open as long as this object exists.
    init?(_ db: Database) {
        guard let connection = db.sqliteConnection else { return nil }
        self.connection = connection
        // A statement run earlier has counted already.
        var statement = sqlite3_next_stmt(connection, nil)
        while let known = statement {
            _ = take(known)
            statement = sqlite3_next_stmt(connection, known)
        }
        sqlite3_trace_v2(
            connection, CUnsignedInt(SQLITE_TRACE_PROFILE),
            { _, context, statement, _ in
                guard let context, let statement else { return 0 }
                Unmanaged<StatementMeter>.fromOpaque(context).takeUnretainedValue().note(OpaquePointer(statement))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        reset()
    }

    deinit { sqlite3_trace_v2(connection, 0, nil, nil) }

    func reset() {
        statements = [:]
        before = pages
    }

    /// The counts of all statements since the last ``reset()``, with the pages.
    var total: Counts {
        var sum = statements.values.reduce(pages, +)
        sum.misses -= before.misses
        sum.hits -= before.hits
        sum.writes -= before.writes
        return sum
    }

    private var pages: Counts {
        Counts(
            misses: status(SQLITE_DBSTATUS_CACHE_MISS), hits: status(SQLITE_DBSTATUS_CACHE_HIT),
            writes: status(SQLITE_DBSTATUS_CACHE_WRITE))
    }

    private func note(_ statement: SQLiteStatement) {
        guard let text = sqlite3_sql(statement).map({ String(cString: $0) }) else { return }
        texts.insert(text)
        statements[text] = (statements[text] ?? Counts()) + take(statement)
    }

    private func take(_ statement: SQLiteStatement) -> Counts {
        func count(_ what: CInt) -> Int { Int(sqlite3_stmt_status(statement, what, 1)) }
        return Counts(
            statements: 1, steps: count(SQLITE_STMTSTATUS_VM_STEP), scans: count(SQLITE_STMTSTATUS_FULLSCAN_STEP),
            sorts: count(SQLITE_STMTSTATUS_SORT))
    }

    private func status(_ what: CInt) -> Int {
        var (now, most): (CInt, CInt) = (0, 0)
        sqlite3_db_status(connection, what, &now, &most, 0)
        return Int(now)
    }
}
