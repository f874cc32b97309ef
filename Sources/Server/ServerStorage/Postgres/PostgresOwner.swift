/// Statements of the owner of a PostgreSQL server, each on a connection of its own. Its calls block.
package struct PostgresOwner {
    private let address: PostgresAddress

    package init(_ address: PostgresAddress) { self.address = address }

    /// - Throws: ``StorageError``.
    package func run(_ sql: String) throws {
        do { try PostgresConnection(address).run(sql) } catch { throw StorageError.of(error) }
    }
}
