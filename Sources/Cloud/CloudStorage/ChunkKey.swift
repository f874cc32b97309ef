package import CloudModel

/// The name of a stored chunk in a cloud: its id, and the newest garbage collection at the time it was put.
///
/// A collection deletes only keys of earlier epochs. So a chunk needed again during the deletion of its old key is put
/// under a new key, and no deletion, however late, removes it (docs/LOG.md, "Collection").
package struct ChunkKey: Hashable, Comparable, Sendable {
    package let id: ChunkID
    /// The epoch of the newest collection folded by the writer; 0 before the first.
    package let epoch: UInt64

    package init(_ id: ChunkID, epoch: UInt64 = 0) {
        self.id = id
        self.epoch = epoch
    }

    /// The order of keys in a collection's list and in cloud listings: by id, then by epoch.
    package static func < (left: ChunkKey, right: ChunkKey) -> Bool {
        left.id == right.id ? left.epoch < right.epoch : left.id < right.id
    }
}
