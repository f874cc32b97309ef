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

    private func containers(_ condition: String, _ values: StatementValues) throws -> [LocalContainer] {
        try fetchAll(
            "SELECT id, name, node, sequence, isInCloud FROM container WHERE \(condition) ORDER BY id", values)
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
