package import CloudModel
import GRDB

package import struct Foundation.Data

/// Containers, settings and the small tables beside the trees.
extension MetadataTransaction {
    package func containers() throws -> [LocalContainer] { try containers("1 = 1", []) }

    package func container(_ id: ContainerID) throws -> LocalContainer? {
        try containers("id = ?", [id.value]).first
    }

    package func container(named name: ContainerName) throws -> LocalContainer? {
        try containers("name = ?", [name.text]).first
    }

    package func insertContainer(_ name: ContainerName) throws -> ContainerID {
        try run("INSERT INTO container (name, node) VALUES (?, 0)", [name.text])
        return ContainerID(db.lastInsertedRowID)
    }

    package func setNode(_ node: NodeID, of container: ContainerID) throws {
        try run(
            "UPDATE container SET node = ? WHERE id = ?", [Int64(bitPattern: node.value), container.value])
    }

    package func setIsInCloud(_ container: ContainerID) throws {
        try run("UPDATE container SET isInCloud = 1 WHERE id = ?", [container.value])
    }

    private func containers(_ condition: String, _ arguments: StatementArguments) throws -> [LocalContainer] {
        try fetchAll(
            "SELECT id, name, node, sequence, isInCloud FROM container WHERE \(condition) ORDER BY id", arguments)
    }

    // MARK: Conflict siblings

    private func hasSiblings() throws -> Bool {
        try memory.flag(\.hasSiblings) {
            try number("SELECT EXISTS (SELECT 1 FROM local WHERE conflictOf IS NOT NULL)") != 0
        }
    }

    /// The siblings in a folder, whichever documents they belong to; in the same order on every device.
    package func siblings(in folder: NodeID) throws -> [LocalItem] {
        guard try hasSiblings() else { return [] }
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local WHERE parent = ? AND conflictOf IS NOT NULL
            ORDER BY conflictSequence, conflictIndex
            """, [Int64(bitPattern: folder.value)])
    }

    /// The siblings that the mount shows for a document.
    package func siblings(of document: ItemID, in container: ContainerID) throws -> [LocalItem] {
        guard try hasSiblings() else { return [] }
        return try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local WHERE container = ? AND conflictOf = ?
            ORDER BY conflictSequence, conflictIndex
            """, [container.value, document.data])
    }

    /// Every conflict sibling, at most `limit`.
    package func allSiblings(limit: Int) throws -> [LocalItem] {
        try fetchAll("SELECT \(LocalItem.selection) FROM local WHERE conflictOf IS NOT NULL LIMIT ?", [limit])
    }

    // MARK: Settings

    package func setting(_ key: String) throws -> Data? {
        try Data.fetchOne(db.cachedStatement(sql: "SELECT value FROM setting WHERE key = ?"), arguments: [key])
    }

    package func setSetting(_ key: String, _ value: Data) throws {
        try run("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", [key, value])
    }

    // MARK: Manifests of contents that are here, so that reading and resuming need no network

    package func manifest(_ digest: Digest) throws -> [UInt8]? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT bytes FROM manifest WHERE digest = ?"), arguments: [digest.data]
        ).map(Array.init)
    }

    package func setManifest(_ bytes: [UInt8], for digest: Digest) throws {
        try run("INSERT OR IGNORE INTO manifest (digest, bytes) VALUES (?, ?)", [digest.data, Data(bytes)])
    }

    // MARK: Totals

    package func totals() throws -> (items: Int, bytes: UInt64, conflicts: Int) {
        let items = try number("SELECT count(*) FROM local")
        let bytes = try number("SELECT CAST(total(size) AS INTEGER) FROM local")
        let conflicts = try number("SELECT count(*) FROM local WHERE conflictOf IS NOT NULL")
        let packages = try packageConflicts().count { try document(ofVersion: $0) != nil }
        return (Int(items), UInt64(clamping: bytes), Int(conflicts) + packages)
    }
}

extension LocalContainer: ColumnDecodable {
    init(columns: Columns) throws {
        guard let name = ContainerName(columns.text(1)) else {
            throw MetadataError.damagedRow("the container name \(columns.text(1))")
        }
        self.init(
            id: ContainerID(columns.integer(0)), name: name, node: NodeID(columns.unsigned(2)),
            sequence: LogSequence(try columns.count(3)), isInCloud: columns.bool(4))
    }
}
