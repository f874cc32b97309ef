/// Statements of a PostgreSQL server's owner, each on a separate connection. Its calls block.
package struct PostgresOwner {
    private let address: PostgresAddress

    package init(_ address: PostgresAddress) { self.address = address }

    /// - Throws: ``StorageError``.
    package func run(_ sql: String) throws {
        // Copying a database waits for a checkpoint.
        var bounds = PostgresBounds()
        (bounds.statement, bounds.silence) = (.seconds(120), .seconds(150))
        do { try PostgresConnection(address, bounds: bounds).run(sql) } catch { throw StorageError.of(error) }
    }
}
