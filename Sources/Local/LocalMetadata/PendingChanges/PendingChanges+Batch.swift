package import CloudModel
import Cryptography
import GRDB

import struct Foundation.Data

/// Stores the batch being sent: at most one for each container.
extension PendingChanges {
    /// Returns a container's batch not yet seen in its log.
    package func batch(of container: ContainerID) throws -> WaitingBatch? {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT device, deviceSequence, payload FROM outbox WHERE container = ?"),
            arguments: [container.value])
        return row.map { row in
            WaitingBatch(
                device: DeviceID(UInt64(bitPattern: row[0])), deviceSequence: UInt64(bitPattern: row[1]),
                payload: Array(row[2] as Data))
        }
    }

    /// Returns the items of the batch being sent, found by `items` in its payload, once in a transaction.
    package func sentItems(
        of container: ContainerID, _ items: (_ payload: [UInt8]) throws -> Set<ItemID>
    ) throws -> Set<ItemID> {
        if let known = transaction.memory.sentItems[container] { return known }
        let found = try batch(of: container).map { try items($0.payload) } ?? []
        transaction.memory.sentItems[container] = found
        return found
    }

    /// Stores the batch until the log shows it, and marks its changes as sent.
    package func setBatch(_ payload: [UInt8], of author: BatchAuthor, in container: ContainerID) throws {
        transaction.memory.sentItems[container] = nil
        try run("DELETE FROM setting WHERE key = ?", [LocalContainer.successorsKey(container)])
        try run(
            "INSERT INTO outbox (container, device, deviceSequence, payload) VALUES (?,?,?,?)",
            [
                container.value, Int64(bitPattern: author.device.value), Int64(bitPattern: author.number),
                Data(payload),
            ])
        try noteMade(payload, of: author, in: container)
    }

    package func removeBatch(of container: ContainerID) throws {
        transaction.memory.sentItems[container] = nil
        try run("DELETE FROM outbox WHERE container = ?", [container.value])
    }

    /// Discards the batch being sent; its changes are appended again, in their state at that time. Only for a batch
    /// without effect: the log was read and does not have it, or refuses it.
    package func withdrawBatch(of container: ContainerID) throws {
        try removeBatch(of: container)
        try run("UPDATE departed SET isSent = 0 WHERE container = ?", [container.value])
        try run("UPDATE resolution SET isSent = 0 WHERE container = ?", [container.value])
        try run("UPDATE keyValuePending SET isSent = 0 WHERE container = ?", [container.value])
    }

    // MARK: Batches that this state has made

    /// Records that this state created a batch. An unrecorded entry with this device's id proves that the state is an
    /// old one, or a copy.
    package func noteMade(_ payload: [UInt8], of author: BatchAuthor, in container: ContainerID) throws {
        try run(
            "INSERT OR IGNORE INTO madeBatch (container, device, deviceSequence, digest) VALUES (?,?,?,?)",
            values(author, container) + [Data(Digest.zero.chained(payload).bytes)])
    }

    /// Whether this state created a batch that its log has not passed yet.
    package func hasMade(_ payload: [UInt8], of author: BatchAuthor, in container: ContainerID) throws -> Bool {
        let known = try transaction.number(
            "SELECT EXISTS (SELECT 1 FROM madeBatch WHERE container = ? AND device = ? AND deviceSequence = ?)",
            values(author, container))
        guard known != 0 else { return false }
        return try transaction.number(
            """
            SELECT EXISTS (SELECT 1 FROM madeBatch
                WHERE container = ? AND device = ? AND deviceSequence = ? AND digest = ?)
            """, values(author, container) + [Data(Digest.zero.chained(payload).bytes)]) != 0
    }

    /// Forgets the batches up to a number passed by the log.
    package func forgetMade(upTo author: BatchAuthor, in container: ContainerID) throws {
        try run(
            "DELETE FROM madeBatch WHERE container = ? AND device = ? AND deviceSequence <= ?",
            values(author, container))
    }

    private func values(_ author: BatchAuthor, _ container: ContainerID) -> StatementValues {
        [container.value, Int64(bitPattern: author.device.value), Int64(bitPattern: author.number)]
    }

    // MARK: Rows that the batch was made from

    /// Records that the row named `id` by the newest batch belongs to the item that `id` became. Kept until the next
    /// batch is created.
    package func noteSuccessor(of id: ItemID, is node: NodeID, in container: ContainerID) throws {
        let key = LocalContainer.successorsKey(container)
        try transaction.setSetting(
            key, (transaction.setting(key) ?? Data()) + Data("\(id) \(node)\n".utf8))
    }

    /// Returns the row named `id` by the newest batch, if `id` became a different item.
    package func successor(of id: ItemID, in container: ContainerID) throws -> NodeID? {
        let noted = try transaction.setting(LocalContainer.successorsKey(container)) ?? Data()
        let line = String(decoding: noted, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix("\(id) ") }
        return line.flatMap { UInt64($0.drop { $0 != " " }.dropFirst()) }.map(NodeID.init)
    }
}

/// The device of a batch and the device's number for it.
package struct BatchAuthor: Hashable, Sendable {
    package let device: DeviceID
    package let number: UInt64

    package init(device: DeviceID, number: UInt64) {
        self.device = device
        self.number = number
    }
}

/// A batch not yet seen in its log.
package struct WaitingBatch: Hashable, Sendable {
    package let device: DeviceID
    package let deviceSequence: UInt64
    package let payload: [UInt8]
}
