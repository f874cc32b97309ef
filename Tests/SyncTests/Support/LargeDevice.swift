import Basics
import CloudModel
import DeviceSupport
import GRDB
import Glibc
import LocalContent
import VirtualFileSystem

@testable import LocalMetadata

/// A device after long use: documents in the log, and for each of them three deleted ones with their last versions.
struct LargeDevice {
    let device: KernellessDevice
    let count: Int
    let folders: [NodeID]
    private static let perFolder = 500

    /// - Parameter isOld: Whether the items have random ids, as in earlier versions.
    init(documents count: Int, isOld: Bool = false) throws {
        self.count = count
        // As in a mount, where the next change records the close of a file.
        device = try KernellessDevice(closing: .gathered { _ in })
        let container = try device.container.id
        folders = try device.metadata.write { [documents = device.documents] transaction in
            transaction.db.add(function: isOld ? Self.randomID : Self.orderedID)
            for statement in Self.statements(count, container, documents) {
                try transaction.db.execute(sql: statement)
            }
            return try (0..<(count + Self.perFolder - 1) / Self.perFolder).map { index in
                let folder = try transaction.local.item(named: try ItemName("folder \(index)"), in: documents)
                guard let folder else { throw Errno(ENOENT) }
                return folder.node
            }
        }
    }

    /// Returns the place of a document by its number, below ``count``.
    func place(_ index: Int) -> (name: String, folder: NodeID) {
        ("document \(index)", folders[index / Self.perFolder])
    }

    private static let randomID = DatabaseFunction("newID", argumentCount: 1) { _ in ItemID.random().data }

    /// Ids of items created a second apart.
    private static let orderedID = DatabaseFunction("newID", argumentCount: 1) { values in
        let number = Int64.fromDatabaseValue(values[0]) ?? 0
        return ItemID.made(at: KernellessDevice.start.adding(.seconds(number))).data
    }

    // SQLite generates the rows, because creating 100,000 of them in sequence takes minutes in a debug build.
    private static func statements(_ count: Int, _ container: ContainerID, _ documents: NodeID) -> [String] {
        let now = KernellessDevice.start.nanoseconds
        let numbers = "WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 <"
        let folderCount = (count + perFolder - 1) / perFolder
        let remote = """
            INSERT INTO remote (container, item, parent, name, nameKey, kind, permissions, modified, created, size,
              digest, layout, sequence, changeIndex, author, authorName, isDeleted)
            """
        let local = """
            INSERT INTO local (container, item, parent, name, kind, permissions, modified, changed, created, size,
              digest, layout, presence, generation, isKnown)
            """
        return [
            """
            CREATE TEMP TABLE folders AS \(numbers) \(folderCount))
            SELECT i, newID(i) AS id, CAST('folder ' || i AS BLOB) AS name, 0 AS node FROM numbers
            """,
            """
            CREATE TEMP TABLE files AS \(numbers) \(4 * count))
            SELECT i, (i % \(count)) / \(perFolder) AS folder, i >= \(count) AS isDeleted, newID(i) AS id,
              randomblob(32) AS digest, CAST('document ' || i AS BLOB) AS name FROM numbers
            """,
            """
            \(remote) SELECT \(container.value), id, x'\(ItemID.documents)', name, name, 0, 493, \(now), \(now), 0,
              NULL, 0, 1, i, 7, 'test', 0 FROM folders
            """,
            """
            \(local) SELECT \(container.value), id, \(documents), name, 0, 493, \(now), \(now), \(now), 0,
              NULL, 0, 0, 0, 1 FROM folders ORDER BY i
            """,
            """
            UPDATE folders SET node = (SELECT node FROM local WHERE container = \(container.value) AND item = id)
            """,
            """
            \(remote) SELECT \(container.value), files.id, folders.id, files.name, files.name, 1, 420, \(now), \(now),
              2000, digest, 1, 2, files.i, 7, 'test', isDeleted FROM files JOIN folders ON folders.i = folder
            """,
            """
            \(local) SELECT \(container.value), files.id, folders.node, files.name, 1, 420, \(now), \(now), \(now),
              2000, digest, 1, 2, 1, 1 FROM files JOIN folders ON folders.i = folder WHERE isDeleted = 0
            """,
            """
            INSERT INTO deletion (container, item, parent, name, time, noted, device)
            SELECT \(container.value), files.id, folders.id, files.name, \(now), \(now), 'test'
            FROM files JOIN folders ON folders.i = folder WHERE isDeleted
            """,
            """
            INSERT INTO version (container, item, sequence, changeIndex, size, digest, layout, modified, author,
              authorName, superseded)
            SELECT \(container.value), id, 2, i, 2000, digest, 1, \(now), 7, 'test', \(now) FROM files WHERE isDeleted
            """,
            "DROP TABLE files", "DROP TABLE folders",
        ]
    }
}
