package import CloudModel

/// A cloud whose chunks are read on threads that may block. What comes next is done on the same thread: handing a small chunk to another
/// one takes as long as reading it.
package protocol ChunkReading: CloudBackend {
    /// Fetches a chunk and passes its whole frame to `use`, which may block.
    ///
    /// A cancelled caller receives `CancellationError` at once until `use` begins. From then on it receives the outcome of `use`, so that
    /// nothing is done after this returns.
    ///
    /// - Throws: `notFound` when there is none.
    func withChunk<T: Sendable>(
        _ id: ChunkID, in container: ContainerName, _ use: @escaping @Sendable ([UInt8]) -> T
    ) async throws -> T
}
