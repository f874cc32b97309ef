package import Basics
import GRDB

/// A read or write transaction on the metadata: a connection, and its parts by tree, queue and table.
///
/// Operations across several parts, and the small tables (containers, settings, manifests), are in extensions.
package struct MetadataTransaction {
    let db: Database
    let memory = TransactionMemory()
    /// The containers whose logs in the cloud differ from those read by this device.
    package let diverged: DivergedContainers

    init(_ db: Database, diverged: DivergedContainers = DivergedContainers()) {
        self.db = db
        self.diverged = diverged
    }

    /// Calls `action` when this write transaction has been committed or rolled back, before the next can begin. It must
    /// not use the database, nor take a lock held over a transaction.
    package func whenEnded(_ action: @escaping (_ isCommitted: Bool) -> Void) { memory.endings.append(action) }

    package var local: LocalTree { LocalTree(transaction: self) }
    package var synced: SyncedTree { SyncedTree(transaction: self) }
    package var pending: PendingChanges { PendingChanges(transaction: self) }
    package var transfers: TransferQueue { TransferQueue(transaction: self) }
    package var history: ItemHistory { ItemHistory(transaction: self) }
    package var keyValues: KeyValueTable { KeyValueTable(transaction: self) }
    package var collections: CollectionTable { CollectionTable(transaction: self) }

    /// Returns the folded log of a container.
    ///
    /// - Parameters:
    ///   - now: This device's clock; must be passed for folding entries. Nil uses the log's clock.
    ///   - origin: The writer of the entry being folded; nil if not known.
    package func remote(in container: ContainerID, now: Timestamp? = nil, origin: EntryOrigin? = nil) -> RemoteTree {
        RemoteTree(self, container: container, now: now, origin: origin)
    }
}

extension MetadataTransaction: MetadataTable {
    var transaction: MetadataTransaction { self }
}
