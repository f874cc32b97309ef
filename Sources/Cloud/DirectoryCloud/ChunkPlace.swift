import CloudModel

/// A chunk of a container.
struct ChunkPlace: Hashable, Sendable {
    let container: ContainerName
    let id: ChunkID
}
