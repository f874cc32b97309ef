package import CloudModel
package import ContainerLog
import GRDB

import struct Basics.Timestamp
import struct Foundation.Data

/// The folded log of one container, in the tables `remote`, `alias` and `deviceSequence`.
///
/// Before an item changes for the first time since both sides agreed on it, what they agreed on is kept in `synced`; no row there
/// means that it equals `remote`. So the two trees together cost little more than one.
package struct RemoteTree: TreeStore {
    private let transaction: MetadataTransaction
    private let container: ContainerID
    private var cachedState: LogState?

    package init(_ transaction: MetadataTransaction, container: ContainerID) {
        self.transaction = transaction
        self.container = container
    }

    package func state() throws -> LogState {
        if let cachedState { return cachedState }
        let row = try Row.fetchOne(
            transaction.db.cachedStatement(
                sql: "SELECT sequence, rules, time, foldsNames FROM container WHERE id = ?"),
            arguments: [container.value])
        guard let row else { throw MetadataError.damagedRow("no container \(container.value)") }
        return LogState(
            sequence: LogSequence(UInt64(bitPattern: row[0])), rules: UInt16(truncatingIfNeeded: row[1] as Int64),
            time: Timestamp(nanoseconds: row[2]), foldsNames: row[3])
    }

    package mutating func setState(_ state: LogState) throws {
        cachedState = state
        try transaction.run(
            "UPDATE container SET sequence = ?, rules = ?, time = ?, foldsNames = ? WHERE id = ?",
            [
                Int64(bitPattern: state.sequence.value), Int64(state.rules), state.time.nanoseconds, state.foldsNames,
                container.value,
            ])
    }

    package func lastSequence(of device: DeviceID) throws -> UInt64 {
        UInt64(
            bitPattern: try transaction.number(
                "SELECT number FROM deviceSequence WHERE container = ? AND device = ?",
                [container.value, Int64(bitPattern: device.value)]))
    }

    package mutating func setLastSequence(_ number: UInt64, of device: DeviceID) throws {
        try transaction.run(
            "INSERT OR REPLACE INTO deviceSequence (container, device, number) VALUES (?, ?, ?)",
            [container.value, Int64(bitPattern: device.value), Int64(bitPattern: number)])
    }

    package func item(_ id: ItemID) throws -> CloudItem? {
        try Row.fetchOne(
            transaction.db.cachedStatement(
                sql: "SELECT \(CloudItem.selection) FROM remote WHERE container = ? AND item = ?"),
            arguments: [container.value, id.data]
        ).map(CloudItem.init(row:))
    }

    package mutating func put(_ item: CloudItem) throws {
        try keepSynced(item.id)
        // A tombstone gives its name free: the index covers live items only.
        let key = try NameKey(item.name, folding: state().foldsNames)
        try transaction.run(
            "INSERT OR REPLACE INTO remote (\(CloudItem.selection)) VALUES (\(CloudItem.placeholders))",
            StatementArguments(item.values(in: container, key: key)))
    }

    private func keepSynced(_ id: ItemID) throws {
        let isKept = try transaction.number(
            "SELECT EXISTS (SELECT 1 FROM synced WHERE container = ? AND item = ?)", [container.value, id.data])
        guard isKept == 0 else { return }
        try transaction.run(
            """
            INSERT INTO synced (\(CloudItem.selection))
            SELECT \(CloudItem.selection) FROM remote WHERE container = ? AND item = ?
            """, [container.value, id.data])
        guard transaction.db.changesCount == 0 else { return }
        try transaction.run(SyncedRow.insertAbsent, SyncedRow.absent(id, in: container))
    }

    package func child(of parent: ItemID, key: NameKey) throws -> ItemID? {
        try Data.fetchOne(
            transaction.db.cachedStatement(
                sql: "SELECT item FROM remote WHERE container = ? AND parent = ? AND nameKey = ? AND isDeleted = 0"),
            arguments: [container.value, parent.data, Data(key.bytes)]
        ).map(ItemID.init(data:))
    }

    package func children(of parent: ItemID) throws -> [ItemID] {
        try Data.fetchAll(
            transaction.db.cachedStatement(
                sql: "SELECT item FROM remote WHERE container = ? AND parent = ? AND isDeleted = 0 ORDER BY item"),
            arguments: [container.value, parent.data]
        ).map(ItemID.init(data:))
    }

    package func hasChildren(_ parent: ItemID) throws -> Bool {
        try transaction.number(
            "SELECT EXISTS (SELECT 1 FROM remote WHERE container = ? AND parent = ? AND isDeleted = 0)",
            [container.value, parent.data]) != 0
    }

    package func alias(of id: ItemID) throws -> ItemID? {
        try Data.fetchOne(
            transaction.db.cachedStatement(sql: "SELECT target FROM alias WHERE container = ? AND item = ?"),
            arguments: [container.value, id.data]
        ).map(ItemID.init(data:))
    }

    package mutating func setAlias(_ id: ItemID, to target: ItemID) throws {
        try transaction.run(
            "INSERT OR REPLACE INTO alias (container, item, target) VALUES (?, ?, ?)",
            [container.value, id.data, target.data])
    }
}
