package import CloudModel

/// A chunk of a content: its name and its length.
package struct ChunkEntry: Hashable, Sendable {
    package let id: ChunkID
    package let length: Int

    package init(id: ChunkID, length: Int) {
        self.id = id
        self.length = length
    }
}
