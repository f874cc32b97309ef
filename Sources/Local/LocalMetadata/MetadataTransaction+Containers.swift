package import CloudModel
import GRDB

/// Reads and changes the table of containers.
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

    /// Records why a log differs from this device's read log; nil once it does not.
    package func setDivergence(_ why: String?, of container: ContainerID) throws {
        try run("UPDATE container SET divergence = ? WHERE id = ?", [why, container.value])
    }

    /// Returns a log's last read entry; nil until it was read to its end, and while it differs from the log that was
    /// read.
    package func followed(_ id: ContainerID) throws -> LogSequence? {
        guard let container = try container(id), container.divergence == nil,
            try setting(LocalContainer.seenKey(id)) != nil
        else { return nil }
        return container.sequence
    }

    private func containers(_ condition: String, _ values: StatementValues) throws -> [LocalContainer] {
        try fetchAll(
            "SELECT id, name, node, sequence, digest, isInCloud, divergence FROM container WHERE \(condition) ORDER BY id",
            values)
    }
}

extension LocalContainer: ColumnDecodable {
    init(columns: Columns) throws {
        guard let name = ContainerName(columns.text(1)) else {
            throw MetadataError.damagedRow("the container name \(columns.text(1))")
        }
        self.init(
            id: ContainerID(columns.integer(0)), name: name, node: NodeID(columns.unsigned(2)),
            position: try columns.position(3, 4), isInCloud: columns.bool(5),
            divergence: columns.optionalText(6))
    }
}
