/// A page of a table's rows.
struct StoredPage: Sendable {
    let rows: [[StorageValue]]
    /// The key of the last row; nil if there is none.
    let end: [StorageValue]?

    /// The most rows of a page, and the bytes from which on it takes no further row. A row has 16 MiB at most.
    private static let maximumRows = 512
    private static let maximumBytes = 4 << 20
    /// The most rows of a statement.
    private static let insertedRows = 16

    /// Reads the rows of a table after the one with the key `start`; nil: from the first.
    init(of table: StoredTable, after start: [StorageValue]?, _ db: any StorageTransaction) throws {
        var rows: [[StorageValue]] = []
        var bytes = 0
        try db.forEachRow(
            table.select(isFirst: start == nil), (start ?? []) + [StorageValue.integer(Int64(Self.maximumRows))]
        ) {
            row in
            rows.append(row.values)
            bytes += row.values.reduce(0) { $0 + $1.length }
            return bytes < Self.maximumBytes
        }
        self.rows = rows
        end = rows.last.map { Array($0.prefix(table.key.count)) }
    }

    func insert(into table: StoredTable, _ db: any StorageTransaction) throws {
        var rest = rows[...]
        while !rest.isEmpty {
            // Two statements for each table, so that they are compiled once.
            let part = rest.prefix(rest.count < Self.insertedRows ? 1 : Self.insertedRows)
            rest = rest.dropFirst(part.count)
            try db.execute(table.insert(rows: part.count), part.flatMap(\.self))
        }
    }
}

extension StorageValue: StorageValueConvertible {
    static var storageType: StorageType { .column }
    var storageValue: StorageValue { self }

    /// The bytes of a text or of bytes.
    fileprivate var length: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}
