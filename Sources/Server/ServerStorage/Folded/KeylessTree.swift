import CloudModel
import ContainerLog
import Foundation
import GRDB

/// A folded log in a database, without the key-value store. Keys name no contents and are in no folder, so the items
/// are the same without them.
protocol KeylessTree: TreeStore {
    var db: Database { get }
}

extension KeylessTree {
    func keyValue(_ key: String) -> KeyValueEntry? { nil }
    func setKeyValue(_ entry: KeyValueEntry, for key: String) {}
    func keyValueTotals() -> KeyValueTotals { KeyValueTotals() }
    func forgetOldestRemovedKey() {}
}

/// The table of collections proposed by devices in the log.
enum ProposedCollections {
    static let table = """
        CREATE TABLE collection (
            epoch INTEGER PRIMARY KEY, phase INTEGER NOT NULL, layout INTEGER NOT NULL, size INTEGER NOT NULL,
            digest BLOB NOT NULL
        );
        """
}

extension KeylessTree {
    func collection(_ epoch: UInt64) throws -> ProposedCollection? {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT phase, layout, size, digest FROM collection WHERE epoch = ?"),
            arguments: [Int64(clamping: epoch)])
        guard let row else { return nil }
        guard let phase = CollectionPhase(rawValue: row[0]), let layout = ContentReference.Layout(rawValue: row[1]),
            let digest = Digest(row[3] as Data)
        else { throw damagedTree }
        let list = ContentReference(digest: digest, size: UInt64(clamping: row[2] as Int64), layout: layout)
        return ProposedCollection(epoch: epoch, list: list, phase: phase)
    }

    func setCollection(_ collection: ProposedCollection) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO collection VALUES (?, ?, ?, ?, ?)").execute(arguments: [
            Int64(clamping: collection.epoch), Int64(collection.phase.rawValue), Int64(collection.list.layout.rawValue),
            Int64(clamping: collection.list.size), Data(collection.list.digest.bytes),
        ])
    }

    func collectionEpochs() throws -> CollectionEpochs {
        func newest(_ phase: CollectionPhase) throws -> UInt64 {
            let epoch = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT epoch FROM collection WHERE phase >= ? ORDER BY epoch DESC LIMIT 1"),
                arguments: [Int64(phase.rawValue)])
            return UInt64(clamping: epoch ?? 0)
        }
        return CollectionEpochs(proposed: try newest(.proposed), begun: try newest(.begun))
    }
}
