/// The seam between the stores and a database engine: transactions, and nothing of what is in them.
///
/// An engine promises:
/// - ``commit(_:)`` runs its body in one serializable transaction, returns after the changes are durable, and leaves no trace of a body
///   that threw. Bodies of different callers may share one durable write.
/// - ``read(_:)`` sees one consistent state, and waits for no writer.
/// - Errors are ``StorageError``; what one body does wrong fails that body alone.
///
/// Bodies run on threads of the engine. They may run SQL through the transaction, look at files, and do nothing that waits for another
/// transaction.
protocol StorageDatabase: Sendable {
    func read<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T
    @discardableResult
    func commit<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T

    /// Whether commits are written through to the disk.
    func isDurable() async throws -> Bool
    /// Copies the database as it is at one moment, beside writers. Blocks.
    func copy(to path: String) throws
    func close() throws
}
