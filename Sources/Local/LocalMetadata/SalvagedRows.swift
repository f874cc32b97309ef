package import CloudModel
import GRDB

/// What can still be read of a database that may be damaged, row by row. A row that can not be read is nil, never an error.
///
/// SQLite does not notice a flipped byte in a row: names and places are taken as they are, anything else asks ``isSound(_:)`` first.
package final class SalvagedRows: Sendable {
    /// Nil where the file is no database at all.
    private let queue: DatabaseQueue?
    /// Rows may be older than what they are about.
    private let hasLostCommits: Bool

    /// Opens the database for reading; nothing of it is changed.
    package init(path: String) {
        hasLostCommits = WriteAheadLog.isDamaged("\(path)-wal")
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try RowSeal.register(in: $0) }
        // A file that SQLite refuses holds no row that could be read.
        queue = try? DatabaseQueue(path: path, configuration: configuration)
    }

    /// Every row that can be read, in the order of their nodes.
    package func nodes() -> [NodeID] {
        let listed = read { db in
            try Int64.fetchAll(db, sql: "SELECT node FROM local ORDER BY node")
        }
        if let listed { return listed.map { NodeID(UInt64(bitPattern: $0)) } }
        // A damaged page ends a scan, so each number that was ever given out is asked for by itself.
        let last =
            read { try Int64.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'local'") ?? 0 } ?? 0
        return (0...UInt64(max(0, min(last, Self.longestSearch)))).map { NodeID($0) }
    }

    /// Some seconds of searching.
    private static let longestSearch: Int64 = 2_000_000

    package func item(_ node: NodeID) -> LocalItem? {
        read { try MetadataTransaction($0).local.item(node) } ?? nil
    }

    /// Whether a row is the last one and has the bytes that were written: only then does it prove anything.
    package func isSound(_ node: NodeID) -> Bool {
        !hasLostCommits && read { try MetadataTransaction($0).isSealed(node) } ?? false
    }

    package func container(_ id: ContainerID) -> ContainerName? {
        read { try MetadataTransaction($0).container(id)?.name } ?? nil
    }

    /// Keys that were written here and that the log does not show, as far as their rows are what was written.
    package func pendingKeyValues() -> [(container: ContainerName, pending: PendingKeyValue)] {
        // A database of a time before key-value stores has none.
        let pending = read { try MetadataTransaction($0).keyValues.soundPending() } ?? []
        return pending.compactMap { pending in container(pending.container).map { ($0, pending) } }
    }

    /// The readable part of an item's path, from the mount's root down to its folder.
    package func folders(above item: LocalItem) -> [LocalItem] {
        var folders: [LocalItem] = []
        var parent = item.parent
        while parent != .root, folders.count < 4096, let folder = self.item(parent),
            !folders.contains(where: { $0.node == folder.node })
        {
            folders.append(folder)
            parent = folder.parent
        }
        return folders.reversed()
    }

    private func read<T>(_ body: (Database) throws -> T) -> T? {
        // Whatever stops SQLite here stops it at this row only.
        try? queue?.read(body)
    }
}
