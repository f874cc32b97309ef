package import CloudModel
import GRDB

/// Reads a possibly damaged database row by row. An unreadable row is nil, never an error.
///
/// SQLite does not detect a flipped byte in a row: names and places are used as they are, any other use checks
/// ``isSound(_:)`` first.
package final class SalvagedRows: Sendable {
    /// Nil if the file is not a database.
    private let queue: DatabaseQueue?
    /// Whether rows may be older than their blobs and log entries.
    private let hasLostCommits: Bool

    /// Opens the database for reading, without changing it.
    package init(path: String) {
        hasLostCommits = WriteAheadLog.isDamaged("\(path)-wal")
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try RowSeal.register(in: $0) }
        // A file refused by SQLite has no readable row.
        queue = try? DatabaseQueue(path: path, configuration: configuration)
    }

    /// Returns the nodes of all readable rows, in order.
    package func nodes() -> [NodeID] {
        let listed = read { db in
            try Int64.fetchAll(db, sql: "SELECT node FROM local ORDER BY node")
        }
        if let listed { return listed.map { NodeID(UInt64(bitPattern: $0)) } }
        // A damaged page ends a scan, so every node ever assigned is tried.
        let last =
            read { try Int64.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'local'") ?? 0 } ?? 0
        return (0...UInt64(max(0, min(last, Self.longestSearch)))).map { NodeID($0) }
    }

    /// Bounds the search to some seconds.
    private static let longestSearch: Int64 = 2_000_000

    package func item(_ node: NodeID) -> LocalItem? {
        read { try MetadataTransaction($0).local.item(node) } ?? nil
    }

    /// Returns whether a row is the newest and has its bytes as written: only then does it prove anything.
    package func isSound(_ node: NodeID) -> Bool {
        !hasLostCommits && read { try MetadataTransaction($0).isSealed(node) } ?? false
    }

    /// Returns the containers; none if any of their rows is unreadable.
    package func containers() -> [LocalContainer] { read { try MetadataTransaction($0).containers() } ?? [] }

    package func container(_ id: ContainerID) -> ContainerName? {
        read { try MetadataTransaction($0).container(id)?.name } ?? nil
    }

    /// Returns the log's keys and then those written locally since, as far as their rows have their bytes as written.
    package func keyValues() -> [(container: ContainerName, value: PendingKeyValue)] {
        let values = read { try MetadataTransaction($0).keyValues.sound() } ?? []
        return values.compactMap { value in container(value.container).map { ($0, value) } }
    }

    /// Returns the readable part of an item's path, from the mount's root down to its folder.
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
        // An error of SQLite affects this row only.
        try? queue?.read(body)
    }
}
