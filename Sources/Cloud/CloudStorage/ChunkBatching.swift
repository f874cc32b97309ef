package import CloudModel

/// A cloud that takes several chunks in one request, which costs less than one request each.
package protocol ChunkBatching: CloudBackend {
    /// Stores several chunks, which should be small. After an error any of them may be stored.
    func putChunks(_ chunks: [OutgoingChunk], in container: ContainerName) async throws
}
