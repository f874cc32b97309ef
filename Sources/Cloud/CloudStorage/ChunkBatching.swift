package import CloudModel

/// A cloud that takes several chunks in one request, or in concurrent requests, faster than in sequence.
package protocol ChunkBatching: CloudBackend {
    /// Stores several chunks, preferably small. After an error any of them may be stored.
    func putChunks(_ chunks: [OutgoingChunk], in container: ContainerName) async throws
}

extension CloudBackend {
    /// Stores chunks, in one request if the cloud takes several.
    package func put(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        if chunks.count > 1, let backend = facet((any ChunkBatching).self) {
            try await backend.putChunks(chunks, in: container)
        } else {
            for chunk in chunks { try await putChunk(chunk, in: container) }
        }
    }
}
