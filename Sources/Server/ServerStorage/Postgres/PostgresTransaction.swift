/// A transaction of PostgreSQL.
final class PostgresTransaction: StorageTransaction {
    private let connection: PostgresConnection
    /// The number of statements that may have changed something.
    private(set) var changes = 0
    /// The first error of a statement; the transaction cannot be committed after it.
    private(set) var failure: PostgresError?

    init(_ connection: PostgresConnection) { self.connection = connection }

    @discardableResult
    func execute(_ sql: String, _ arguments: [any StorageValueConvertible]) throws -> Int {
        changes += 1
        return try noting { try connection.run(PostgresDialect.rewrite(sql), arguments) }
    }

    func enqueue(_ sql: String, _ arguments: [any StorageValueConvertible]) throws {
        changes += 1
        try noting { try connection.enqueue(PostgresDialect.rewrite(sql), arguments) }
    }

    func forEachRow(
        _ sql: String, _ arguments: [any StorageValueConvertible], while body: (StorageRow) throws -> Bool
    ) throws {
        // INSERT and DELETE have rows too, with RETURNING.
        if !sql.hasPrefix("SELECT") { changes += 1 }
        try noting { _ = try connection.run(PostgresDialect.rewrite(sql), arguments, row: body) }
    }

    /// Runs queries in a single round trip, and returns the rows of each.
    func rowsOfEach(_ queries: [StorageQuery]) throws -> [[StorageRow]] {
        try noting { try connection.rowsOfEach(queries.map { (PostgresDialect.rewrite($0.sql), $0.arguments) }) }
    }

    func lastNumber(of table: String) throws -> Int64 {
        let rows = try noting { try connection.rows("SELECT last_value, is_called FROM \(Self.sequence(of: table))") }
        guard let row = rows.first else { return 0 }
        return try row[1] as Bool ? row[0] : 0
    }

    func skipNumbers(of table: String, to number: Int64) throws {
        guard try number > lastNumber(of: table) else { return }
        changes += 1
        // Sequences are not part of a transaction: skipped numbers stay skipped if it is rolled back.
        try noting { _ = try connection.run("SELECT setval('\(Self.sequence(of: table))', $1)", [number]) }
    }

    /// The sequence of an identity column, by its default name in PostgreSQL.
    private static func sequence(of table: String) -> String { "\(table.lowercased())_id_seq" }

    /// Starts over at a savepoint.
    func restart() { failure = nil }

    /// Waits for all enqueued statements.
    func flush() throws { try noting { try connection.flush() } }

    private func noting<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as PostgresError {
            failure = failure ?? error
            throw error
        }
    }
}
