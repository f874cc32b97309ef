package import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// The garbage collections proposed by logs, and their lists as read so far.
package struct CollectionTable: MetadataTable {
    let transaction: MetadataTransaction

    /// Returns a container's collections, oldest first, including finished ones.
    package func all(in container: ContainerID) throws -> [ProposedCollection] {
        try fetchAll(
            "SELECT epoch, phase, layout, size, digest FROM collection WHERE container = ? ORDER BY epoch",
            [container.value])
    }

    /// Returns the collections up to an epoch with unread lists, oldest first.
    package func unread(in container: ContainerID, upTo epoch: UInt64) throws -> [ProposedCollection] {
        try fetchAll(
            """
            SELECT epoch, phase, layout, size, digest FROM collection
            WHERE container = ? AND epoch <= ? AND isRead = 0 ORDER BY epoch
            """, [container.value, Int64(clamping: epoch)])
    }

    /// Adds keys of a collection's list. Existing keys are no error.
    package func add(_ keys: some Sequence<(chunk: Digest, epoch: UInt64)>, to epoch: UInt64, in container: ContainerID)
        throws
    {
        for key in keys {
            try run(
                "INSERT OR IGNORE INTO collectionKey (container, chunk, keyEpoch, epoch) VALUES (?, ?, ?, ?)",
                [container.value, key.chunk.data, Int64(clamping: key.epoch), Int64(clamping: epoch)])
        }
    }

    /// Records that all keys of a collection's list were added.
    package func markRead(_ epoch: UInt64, in container: ContainerID) throws {
        try run(
            "UPDATE collection SET isRead = 1 WHERE container = ? AND epoch = ?",
            [container.value, Int64(clamping: epoch)])
    }

    /// Returns the epochs of a chunk's keys that collections may remove, as far as their lists were read.
    package func listedEpochs(of chunk: Digest, in container: ContainerID) throws -> Set<UInt64> {
        var epochs: Set<UInt64> = []
        try db.forEachRow(
            "SELECT DISTINCT keyEpoch FROM collectionKey WHERE container = ? AND chunk = ?",
            [container.value, chunk.data]
        ) { columns in
            epochs.insert(columns.unsigned(0))
            return true
        }
        return epochs
    }
}

extension ProposedCollection: ColumnDecodable {
    init(columns: Columns) throws {
        guard let phase = UInt8(exactly: columns.integer(1)).flatMap(CollectionPhase.init),
            let layout = UInt8(exactly: columns.integer(2)).flatMap(ContentReference.Layout.init),
            let digest = Digest(columns.bytes(4))
        else { throw MetadataError.damagedRow("a collection") }
        let list = ContentReference(digest: digest, size: try columns.count(3), layout: layout)
        self.init(epoch: try columns.count(0), list: list, phase: phase)
    }
}
