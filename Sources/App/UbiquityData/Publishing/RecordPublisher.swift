import Basics
import Records

/// Turns pending transactions into files. Runs in transactions of the database; the caller writes the files.
///
/// A file's number and bytes are durable in the database before the file is written, so that after a crash at any step
/// the device writes the same bytes again under the same number.
struct RecordPublisher {
    /// Transactions are gathered up to this size, so that a file stays far below its limit.
    private static let fileBytes = 16 << 20

    let statements: StatementCache
    let deviceName: String

    /// Creates files for all pending transactions without one, and returns the state with the last number.
    func prepare(_ state: StoreState) throws -> StoreState {
        var state = state
        while let transactions = try next() {
            let (number, overflow) = state.files.addingReportingOverflow(1)
            guard !overflow else { throw RecordFileError.tooLarge("the number of files") }
            let file = RecordFile(
                store: state.store, device: state.device, deviceName: deviceName, number: number,
                transactions: transactions.map(\.transaction))
            try statements.run(
                "INSERT INTO _ubq_file VALUES (?, ?, 0)", [.bits(number), .blob(try file.encoded())])
            for transaction in transactions {
                try statements.run("UPDATE _ubq_pending SET file = ? WHERE id = ?", [.bits(number), transaction.id])
            }
            state.files = number
            try state.save(statements)
        }
        return state
    }

    private func next() throws -> [(id: RecordValue, transaction: RecordTransaction)]? {
        var bytes: Int64 = 0
        let ids = try statements.all(
            "SELECT id, length(body) FROM _ubq_pending WHERE file IS NULL ORDER BY id LIMIT ?",
            [.integer(Int64(RecordFile.maximumTransactions))]
        ) { ($0[0], $0.integer(1)) }.prefix { _, size in
            bytes += size
            return bytes == size || bytes <= Int64(Self.fileBytes)
        }
        guard !ids.isEmpty else { return nil }
        var transactions: [(id: RecordValue, transaction: RecordTransaction)] = []
        for (id, _) in ids {
            let body = try statements.first("SELECT body FROM _ubq_pending WHERE id = ?", [id]) { $0[0].bytes } ?? []
            for transaction in try RecordFile(decoding: body).transactions { transactions.append((id, transaction)) }
        }
        return transactions
    }

    /// Numbers of files not known to be written, ascending.
    func unwritten() throws -> [UInt64] {
        try statements.all("SELECT number FROM _ubq_file WHERE NOT is_written ORDER BY number") {
            UInt64(bitPattern: $0.integer(0))
        }
    }

    /// Numbers of files written but missing from the log, ascending.
    func written() throws -> [UInt64] {
        try statements.all("SELECT number FROM _ubq_file WHERE is_written ORDER BY number") {
            UInt64(bitPattern: $0.integer(0))
        }
    }

    func bytes(of number: UInt64) throws -> [UInt8]? {
        try statements.first("SELECT bytes FROM _ubq_file WHERE number = ?", [.bits(number)]) { $0[0].bytes }
    }

    func noteWritten(_ number: UInt64) throws {
        try statements.run("UPDATE _ubq_file SET is_written = 1 WHERE number = ?", [.bits(number)])
    }
}
