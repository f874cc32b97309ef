/// A transaction of at most one query.
final class SingleStatement: StorageTransaction {
    private let transaction: any StorageTransaction
    private var isUsed = false

    init(_ transaction: any StorageTransaction) { self.transaction = transaction }

    func execute(_ sql: String, _ arguments: [any StorageValueConvertible]) throws -> Int { throw Self.refusal }

    func enqueue(_ sql: String, _ arguments: [any StorageValueConvertible]) throws { throw Self.refusal }

    func forEachRow(
        _ sql: String, _ arguments: [any StorageValueConvertible], while body: (StorageRow) throws -> Bool
    ) throws {
        guard !isUsed else { throw Self.refusal }
        isUsed = true
        try transaction.forEachRow(sql, arguments, while: body)
    }

    func lastNumber(of table: String) throws -> Int64 { throw Self.refusal }

    func skipNumbers(of table: String, to number: Int64) throws { throw Self.refusal }

    private static let refusal = StorageError(.failed, "A read without a transaction runs one query.")
}
