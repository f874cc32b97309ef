package import CloudModel

/// A cloud unaware of which chunks are garbage, so that devices collect them. A server that folds logs is its own
/// collector and does not adopt this protocol.
///
/// ``CloudBackend/getChunk(_:in:)`` returns a chunk under any of its keys, and ``CloudBackend/distrust(_:in:)``
/// concerns all of them. ``CloudBackend/missing(_:in:)`` and ``CloudBackend/putChunk(_:in:)`` are those of epoch 0.
package protocol ChunkCollecting: CloudBackend {
    /// Returns the keys stored whole. The next append makes them durable, as if the caller had put them. The caller
    /// puts an omitted key again, which costs a transfer and loses nothing.
    func present(_ keys: [ChunkKey], in container: ContainerName) async throws -> Set<ChunkKey>
    /// Stores a chunk's frame under a key of that epoch. Does not overwrite an existing frame.
    func putChunk(_ chunk: OutgoingChunk, epoch: UInt64, in container: ContainerName) async throws
    /// Stores several chunks, preferably small. After an error any of them may be stored.
    func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws
    /// Returns at most `limit` stored chunks of a container, sorted by key, starting after `key`. Chunks put or removed
    /// during the listing may or may not be in it.
    func storedChunks(in container: ContainerName, after key: ChunkKey?, limit: Int) async throws -> [StoredChunk]
    /// Removes chunks by their exact keys; an absent chunk is no error.
    func remove(_ keys: [ChunkKey], in container: ContainerName) async throws
}

extension ChunkCollecting {
    package func putChunks(_ chunks: [OutgoingChunk], epoch: UInt64, in container: ContainerName) async throws {
        for chunk in chunks { try await putChunk(chunk, epoch: epoch, in: container) }
    }
}

/// A chunk in a listing of the cloud.
package struct StoredChunk: Hashable, Sendable {
    package let key: ChunkKey
    /// The bytes it occupies in the cloud.
    package let bytes: UInt64

    package init(key: ChunkKey, bytes: UInt64) {
        self.key = key
        self.bytes = bytes
    }
}
