import GRDB

/// A part of the database, read and written within a transaction. All parts share its connection, with the
/// prepared-statement cache, and its memory.
protocol MetadataTable {
    var transaction: MetadataTransaction { get }
}

extension MetadataTable {
    var db: Database { transaction.db }
    var memory: TransactionMemory { transaction.memory }

    func fetchOne<T: ColumnDecodable>(_ sql: String, _ values: StatementValues) throws -> T? {
        var found: T?
        try db.forEachRow(sql, values) { columns in
            found = try T(columns: columns, in: transaction)
            return false
        }
        return found
    }

    func fetchAll<T: ColumnDecodable>(_ sql: String, _ values: StatementValues = []) throws -> [T] {
        var items: [T] = []
        try db.forEachRow(sql, values) { columns in
            items.append(try T(columns: columns, in: transaction))
            return true
        }
        return items
    }

    /// As ``fetchAll(_:_:)`` of items by ``LocalItem/selection``: rows with impossible values are left out, and their
    /// nodes returned separately. For lists and queues, where such a row must not block the rest; not where missing
    /// rows affect a decision.
    func fetchReadable(
        _ sql: String, _ values: StatementValues = []
    ) throws -> (items: [LocalItem], unreadable: [NodeID]) {
        var (items, unreadable): ([LocalItem], [NodeID]) = ([], [])
        try db.forEachRow(sql, values) { columns in
            do { items.append(try LocalItem(columns: columns)) } catch let error as MetadataError {
                guard error.code == .damaged else { throw error }
                unreadable.append(NodeID(columns.unsigned(LocalItem.Column.node.rawValue)))
            }
            return true
        }
        return (items, unreadable)
    }

    func run(_ sql: String, _ values: StatementValues) throws { try db.perform(sql, values) }

    /// Returns the first column of the first row; 0 if there is none.
    func number(_ sql: String, _ values: StatementValues = []) throws -> Int64 {
        try optionalNumber(sql, values) ?? 0
    }

    func optionalNumber(_ sql: String, _ values: StatementValues = []) throws -> Int64? {
        try db.optionalNumber(sql, values)
    }
}
