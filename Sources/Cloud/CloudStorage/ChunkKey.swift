package import CloudModel

/// The name under which a cloud stores a chunk: its id, and the collection of garbage that was the newest one when it was put.
///
/// A collection deletes keys of earlier epochs only. So a chunk that is needed again while an old key of it is deleted is put under a new
/// key, and no deletion, however late, takes it away (docs/LOG.md, "Collection").
package struct ChunkKey: Hashable, Comparable, Sendable {
    package let id: ChunkID
    /// The epoch of the newest collection that the writer had folded; 0 before the first.
    package let epoch: UInt64

    package init(_ id: ChunkID, epoch: UInt64 = 0) {
        self.id = id
        self.epoch = epoch
    }

    /// The order of keys in the list of a collection and in listings of a cloud: by id, then by epoch.
    package static func < (left: ChunkKey, right: ChunkKey) -> Bool {
        left.id == right.id ? left.epoch < right.epoch : left.id < right.id
    }
}
