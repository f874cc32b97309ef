import GRDB

import struct Foundation.Data

/// The batch on its way: at most one of each container.
extension PendingChanges {
    /// The batch of a container that was made and not yet seen in its log.
    package func batch(of container: ContainerID) throws -> (deviceSequence: UInt64, payload: [UInt8])? {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT deviceSequence, payload FROM outbox WHERE container = ?"),
            arguments: [container.value])
        return row.map { (UInt64(bitPattern: $0[0]), Array($0[1] as Data)) }
    }

    /// Keeps the batch until the log shows it, and marks what it holds as sent.
    package func setBatch(_ payload: [UInt8], deviceSequence: UInt64, of container: ContainerID) throws {
        try run(
            "INSERT INTO outbox (container, deviceSequence, payload) VALUES (?,?,?)",
            [container.value, Int64(bitPattern: deviceSequence), Data(payload)])
    }

    package func removeBatch(of container: ContainerID) throws {
        try run("DELETE FROM outbox WHERE container = ?", [container.value])
    }

    /// Forgets the batch on its way; its changes are appended again, as they are then. Only for a batch of which nothing happened: the log
    /// was read for it and does not have it, or refuses it.
    package func withdrawBatch(of container: ContainerID) throws {
        try removeBatch(of: container)
        try run("UPDATE departed SET isSent = 0 WHERE container = ?", [container.value])
        try run("UPDATE resolution SET isSent = 0 WHERE container = ?", [container.value])
        try run("UPDATE keyValuePending SET isSent = 0 WHERE container = ?", [container.value])
    }
}
