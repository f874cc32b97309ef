package import CloudModel

/// A cloud whose chunks are read on threads that may block. Further processing runs on the same thread: handing a small
/// chunk to a second thread takes as long as reading it.
package protocol ChunkReading: CloudBackend {
    /// Fetches a chunk and passes its whole frame to `use`, which may block.
    ///
    /// Until `use` begins, a cancelled caller receives `CancellationError` immediately. From then on it receives the
    /// outcome of `use`, so that no work continues after this returns.
    ///
    /// - Throws: `notFound` if it does not exist.
    func withChunk<T: Sendable>(
        _ id: ChunkID, in container: ContainerName, _ use: @escaping @Sendable ([UInt8]) -> T
    ) async throws -> T
}
