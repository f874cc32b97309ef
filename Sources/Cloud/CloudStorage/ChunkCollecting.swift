package import CloudModel

/// A cloud that does not know which chunks are garbage, so that devices collect them. A server that folds logs collects by itself and does
/// not adopt this protocol.
///
/// ``CloudBackend/getChunk(_:in:)`` returns a chunk under any of its keys, and ``CloudBackend/distrust(_:in:)`` concerns all of them.
/// ``CloudBackend/missing(_:in:)`` and ``CloudBackend/putChunk(_:in:)`` are those of epoch 0.
package protocol ChunkCollecting: CloudBackend {
    /// Returns those of these keys that are stored whole. The next append makes them durable, as if the caller had put them. A key that is
    /// left out is put again, which costs a transfer and loses nothing.
    func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey>
    /// Stores a chunk's frame under a key of that epoch. Does not overwrite an existing one.
    func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws
    /// Stores several chunks, which should be small. After an error any of them may be stored.
    func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws
    /// Returns at most `limit` stored chunks of a container, in the order of their keys, from the one after `key` on. Chunks that are put or
    /// removed during the listing may or may not be in it.
    func storedChunks(in container: ContainerName, after key: ChunkKey?, limit: Int) async throws -> [StoredChunk]
    /// Removes chunks by their exact keys; one that is absent is no error.
    func remove(_ keys: [ChunkKey], in container: ContainerName) async throws
}

extension ChunkCollecting {
    package func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws {
        for chunk in chunks { try await putChunk(chunk, epoch: epoch, in: container) }
    }
}

/// A chunk as a listing of the cloud has it.
package struct StoredChunk: Hashable, Sendable {
    package let key: ChunkKey
    /// The bytes that it occupies in the cloud.
    package let bytes: UInt64

    package init(key: ChunkKey, bytes: UInt64) {
        self.key = key
        self.bytes = bytes
    }
}
