/// A query with few rows, as a value.
struct StorageQuery: Sendable {
    let sql: String
    let arguments: [any StorageValueConvertible & Sendable]

    init(_ sql: String, _ arguments: [any StorageValueConvertible & Sendable]) {
        self.sql = sql
        self.arguments = arguments
    }
}
