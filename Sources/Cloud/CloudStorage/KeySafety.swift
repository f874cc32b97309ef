package import CloudModel

/// Determines the chunk keys safe from every proposed garbage collection, so that a batch may rely on them
/// (docs/LOG.md, "Collection"). Pure.
package struct KeySafety: Hashable, Sendable {
    /// The newest proposed epoch folded by the device, used for keys it puts.
    package let epoch: UInt64
    /// The newest proposed collection whose list was unreadable for this device; 0 if it has read all. It counts as if
    /// it listed every key of an earlier epoch.
    package let unread: UInt64

    /// The number of newest epochs queried besides epoch 0. A key of any further epoch counts as absent, and its chunk
    /// is put again.
    private static let queried: UInt64 = 4

    package init(epoch: UInt64, unread: UInt64 = 0) {
        self.epoch = epoch
        self.unread = unread
    }

    /// Returns the keys for looking up a chunk, newest first.
    package func candidates(of id: ChunkID) -> [ChunkKey] {
        let oldest = epoch - min(epoch, Self.queried - 1)
        let recent = (oldest...epoch).reversed().map { ChunkKey(id, epoch: $0) }
        return (oldest > 0 ? recent + [ChunkKey(id)] : recent).filter { $0.epoch >= unread }
    }

    /// Returns whether a stored key stays.
    ///
    /// - Parameter listed: The epochs of the chunk's listed keys, as far as the lists were read.
    package func isSafe(_ key: ChunkKey, listed: Set<UInt64>) -> Bool {
        key.epoch >= unread && !listed.contains(key.epoch)
    }
}
