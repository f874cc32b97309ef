package import CloudModel
package import ContainerLog
import GRDB

package import struct Basics.Timestamp
import struct Foundation.Data

/// The folded log of one container, in the tables `remote`, `alias` and `deviceSequence`.
///
/// Before an item changes for the first time since both sides agreed on it, the agreed state is stored in `synced`; no
/// row there means it equals `remote`. So the two trees together cost little more than one.
package struct RemoteTree: TreeStore {
    let transaction: MetadataTransaction
    package let container: ContainerID

    /// This device's clock: the time at which the entry being folded supersedes versions.
    private let now: Timestamp?
    private let origin: EntryOrigin?

    /// - Parameters:
    ///   - now: Must be passed for folding entries; nil uses the log's clock.
    ///   - origin: The writer of the entry being folded; nil if not known.
    package init(
        _ transaction: MetadataTransaction, container: ContainerID, now: Timestamp? = nil, origin: EntryOrigin? = nil
    ) {
        self.transaction = transaction
        self.container = container
        self.now = now
        self.origin = origin
    }

    package func state() throws -> LogState {
        if let known = transaction.memory.states[container] { return known }
        let state: LogState? = try transaction.fetchOne(
            "SELECT sequence, digest, rules, time, foldsNames FROM container WHERE id = ?", [container.value])
        guard let state else { throw MetadataError.damagedRow("no container \(container.value)") }
        transaction.memory.states[container] = state
        return state
    }

    package mutating func setState(_ state: LogState) throws {
        transaction.memory.states[container] = state
        try transaction.run(
            "UPDATE container SET sequence = ?, digest = ?, rules = ?, time = ?, foldsNames = ? WHERE id = ?",
            [
                Int64(bitPattern: state.sequence.value), Data((state.position.digest ?? .zero).bytes),
                Int64(state.rules), state.time.nanoseconds, state.foldsNames, container.value,
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
        try transaction.memory.item(id, in: container) {
            try transaction.fetchOne(CloudItem.query, [container.value, id.data])
        }
    }

    package mutating func put(_ item: CloudItem) throws {
        try keepSynced(item.id)
        let before = try self.item(item.id)
        if let before {
            try keepVersions(before, notIn: item)
            try keepDeletion(before, item)
        }
        // A tombstone releases its name: the index covers live items only.
        let key = try NameKey(item.name, folding: state().foldsNames)
        try transaction.run(CloudItem.insertion, item.values(in: container, key: key))
        transaction.memory.put(item, in: container)
        if item.id == .root { try transaction.local.noteRoot(of: container, before?.attributes, item.attributes) }
    }

    private func keepSynced(_ id: ItemID) throws {
        guard try item(id) != nil else {
            return try transaction.run(SyncedRow.insertAbsent, SyncedRow.absent(id, in: container))
        }
        try transaction.run(
            """
            INSERT INTO synced (\(CloudItem.selection))
            SELECT \(CloudItem.selection) FROM remote WHERE container = ? AND item = ?
            ON CONFLICT (container, item) DO NOTHING
            """, [container.value, id.data])
    }

    /// Moves versions no longer current or in conflict to the history. Conflict versions of a deleted or merged
    /// document stay in conflict there or become items.
    private func keepVersions(_ before: CloudItem, notIn after: CloudItem) throws {
        guard before.body != after.body || before.isDeleted != after.isDeleted || before.conflicts != after.conflicts
        else { return }
        let kept = Set(after.historicContents.map(\.content.digest))
        for version in before.historicContents where !kept.contains(version.content.digest) {
            guard !after.isDeleted || version.version == before.version else { continue }
            try transaction.history.insert(version.superseded(at: now ?? state().time, in: container))
        }
    }

    /// Records when and by which device an item was deleted, or removes the record when the item is restored.
    private func keepDeletion(_ before: CloudItem, _ after: CloudItem) throws {
        guard before.isDeleted != after.isDeleted else { return }
        guard after.isDeleted else { return try transaction.history.removeDeletion(of: after.id, in: container) }
        let noted = try now ?? state().time
        try transaction.history.insert(
            Deletion(
                container: container, item: after.id, parent: after.parent, name: after.name,
                // No later than now, and never before 1970: a wrong clock must not keep the item out of the list.
                time: max(.zero, min(origin?.time ?? noted, noted)), noted: noted, device: origin?.device ?? ""))
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

    /// Returns live items behind `item`, in the order of their ids.
    package func items(after item: ItemID?, limit: Int) throws -> [CloudItem] {
        try transaction.fetchAll(
            """
            SELECT \(CloudItem.selection) FROM remote
            WHERE container = ? AND item > ? AND isDeleted = 0 ORDER BY item LIMIT ?
            """, [container.value, item?.data ?? Data(), limit])
    }

    package func hasChildren(_ parent: ItemID) throws -> Bool {
        try transaction.number(
            "SELECT EXISTS (SELECT 1 FROM remote WHERE container = ? AND parent = ? AND isDeleted = 0)",
            [container.value, parent.data]) != 0
    }

    package func alias(of id: ItemID) throws -> ItemID? {
        let hasAny = try transaction.memory.flag(\.hasAliases) {
            try transaction.number("SELECT EXISTS (SELECT 1 FROM alias)") != 0
        }
        guard hasAny else { return nil }
        return try Data.fetchOne(
            transaction.db.cachedStatement(sql: "SELECT target FROM alias WHERE container = ? AND item = ?"),
            arguments: [container.value, id.data]
        ).map(ItemID.init(data:))
    }

    package mutating func setAlias(_ id: ItemID, to target: ItemID) throws {
        transaction.memory.hasAliases = true
        // An item merged into another one is not deleted, and its history can no longer be requested.
        try transaction.history.removeDeletion(of: id, in: container)
        try transaction.history.removeVersions(of: id, in: container)
        try transaction.run(
            "INSERT OR REPLACE INTO alias (container, item, target) VALUES (?, ?, ?)",
            [container.value, id.data, target.data])
    }
}

extension LogState: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            position: try columns.position(0, 1), rules: UInt16(truncatingIfNeeded: columns.integer(2)),
            time: Timestamp(nanoseconds: columns.integer(3)), foldsNames: columns.bool(4))
    }
}
