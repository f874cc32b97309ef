import CloudModel
package import ContainerLog
import GRDB

import struct Foundation.Data

/// Stores the collections proposed by the log.
extension RemoteTree {
    package func collection(_ epoch: UInt64) throws -> ProposedCollection? {
        try transaction.fetchOne(
            "SELECT epoch, phase, layout, size, digest FROM collection WHERE container = ? AND epoch = ?",
            [container.value, Int64(clamping: epoch)])
    }

    package mutating func setCollection(_ collection: ProposedCollection) throws {
        transaction.memory.collections[container] = nil
        try transaction.run(
            """
            INSERT INTO collection (container, epoch, phase, layout, size, digest) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, epoch) DO UPDATE SET phase = excluded.phase
            """,
            [
                container.value, Int64(clamping: collection.epoch), Int64(collection.phase.rawValue),
                Int64(collection.list.layout.rawValue), Int64(clamping: collection.list.size),
                Data(collection.list.digest.bytes),
            ])
    }

    package func collectionEpochs() throws -> CollectionEpochs {
        if let known = transaction.memory.collections[container] { return known }
        func newest(_ phase: CollectionPhase) throws -> UInt64 {
            UInt64(
                clamping: try transaction.number(
                    "SELECT epoch FROM collection WHERE container = ? AND phase >= ? ORDER BY epoch DESC LIMIT 1",
                    [container.value, Int64(phase.rawValue)]))
        }
        let epochs = CollectionEpochs(proposed: try newest(.proposed), begun: try newest(.begun))
        transaction.memory.collections[container] = epochs
        return epochs
    }
}
