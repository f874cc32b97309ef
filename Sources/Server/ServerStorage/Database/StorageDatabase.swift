/// The interface between the stores and a database engine. It knows transactions, but nothing of what is in them.
///
/// An engine guarantees:
/// - ``commit(_:)`` runs its body in one serializable transaction, returns after the changes are durable, and leaves no trace of a body
///   that threw. Bodies of different callers may share one durable write.
/// - ``read(_:)`` sees one consistent state, and waits for no writer.
/// - Errors are ``StorageError``; an error that one body causes fails that body alone.
///
/// Bodies run on threads of the engine. They may run SQL through the transaction and look at files, but must not wait for another
/// transaction.
protocol StorageDatabase: Sendable {
    func read<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T
    @discardableResult
    func commit<T: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> T) async throws -> T

    /// Whether commits are written through to the disk.
    func isDurable() async throws -> Bool
    /// Copies the database as it is at one moment, concurrently with writers. Blocks.
    func copy(to path: String) throws
    func close() throws
}
