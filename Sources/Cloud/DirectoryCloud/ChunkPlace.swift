import CloudModel
import CloudStorage

/// A stored copy of a chunk: its container and its key there.
struct ChunkPlace: Hashable, Sendable {
    let container: ContainerName
    let key: ChunkKey

    init(container: ContainerName, key: ChunkKey) {
        self.container = container
        self.key = key
    }

    init(container: ContainerName, id: ChunkID) { self.init(container: container, key: ChunkKey(id)) }

    /// The place of the same chunk under its key of epoch 0.
    var base: ChunkPlace { ChunkPlace(container: container, id: key.id) }
}
