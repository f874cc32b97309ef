package import CloudModel
package import CloudStorage

/// Chooses the keys of uploaded chunks in a cloud with device-run garbage collection.
package protocol UploadKeys: Sendable {
    /// Returns the chunks for which the cloud has no lasting key.
    func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID>
    /// Stores chunks under lasting keys.
    func put(_ chunks: [OutgoingChunk], in container: ContainerName) async throws
    /// Drops the known state of stored chunks, because the cloud lost some.
    func forgetStored(in container: ContainerName)
}

extension TransferContext {
    /// Returns the chunks that have to be put before a batch may name them.
    package func missing(_ chunks: [ChunkID], in container: ContainerName) async throws -> Set<ChunkID> {
        guard let keys else { return try await backend.missing(chunks, in: container) }
        return try await keys.missing(chunks, in: container)
    }

    /// Stores chunks so that a batch may name them.
    package func put(_ chunks: [OutgoingChunk], in container: ContainerName) async throws {
        guard let keys else { return try await backend.put(chunks, in: container) }
        try await keys.put(chunks, in: container)
    }
}
