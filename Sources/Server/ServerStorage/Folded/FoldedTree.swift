import Basics
import CloudModel
import ContainerLog
import Foundation
import GRDB

/// A folded container in SQLite, for the reducer. Beside the items it keeps each file's history of contents, the times
/// of deletions, and the contents given up by items with the times of that.
///
/// Items, contents and the state change in a single transaction, to be ended by ``save()``: a half-written tree is
/// never visible.
struct FoldedTree: KeylessTree {
    /// Facts about the entry being folded.
    struct Origin {
        /// The device that appended it, and when, by its clock.
        let device: String
        let time: Timestamp
        /// When it arrived, in seconds since 1970 UTC by the server's clock.
        let arrived: Int64
    }

    let db: Database
    var origin: Origin?
    private(set) var neededSum: ContentSum
    var droppedSum: ContentSum
    private var current: LogState

    init(_ db: Database) throws {
        self.db = db
        guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM state")),
            let needed = ContentSum(row["neededSum"]), let dropped = ContentSum(row["droppedSum"])
        else { throw damagedTree }
        guard let digest = Digest(row["digest"] as Data), let rules = UInt16(exactly: row["rules"] as Int64) else {
            throw damagedTree
        }
        current = LogState(
            position: LogPosition(LogSequence(UInt64(clamping: row["sequence"] as Int64)), digest), rules: rules,
            time: Timestamp(nanoseconds: row["time"]), foldsNames: row["foldsNames"])
        (neededSum, droppedSum) = (needed, dropped)
    }

    func state() -> LogState { current }

    mutating func setState(_ state: LogState) { current = state }

    /// Writes the state: once per transaction, not once per entry.
    mutating func save() throws {
        try run(
            """
            UPDATE state SET sequence = ?, digest = ?, rules = ?, time = ?, foldsNames = ?, neededSum = ?,
                droppedSum = ?
            """,
            [
                Int64(current.sequence.value), Data((current.position.digest ?? .zero).bytes), Int64(current.rules),
                current.time.nanoseconds, current.foldsNames, neededSum.data, droppedSum.data,
            ])
    }

    func lastSequence(of device: DeviceID) throws -> UInt64 {
        let number = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT sequence FROM device WHERE id = ?"),
            arguments: [Int64(bitPattern: device.value)])
        return UInt64(number ?? 0)
    }

    mutating func setLastSequence(_ number: UInt64, of device: DeviceID) throws {
        try run(
            "INSERT OR REPLACE INTO device VALUES (?, ?)", [Int64(bitPattern: device.value), Int64(clamping: number)])
    }

    func item(_ id: ItemID) throws -> CloudItem? {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM item WHERE id = ?"), arguments: [id.data])
        return try row.map(item)
    }

    func item(_ row: Row) throws -> CloudItem {
        guard row["conflicts"] as Int64 > 0 else { return try CloudItem(row, conflicts: []) }
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM conflict WHERE item = ? ORDER BY sequence, position"),
            arguments: [row["id"] as Data])
        return try CloudItem(row, conflicts: try rows.map(ConflictVersion.init))
    }

    mutating func put(_ item: CloudItem) throws {
        let row = try NeededContents.row(of: item.id, db)
        try noteContents(of: item, before: try row.map { try NeededContents(db).versions(of: $0) } ?? [])
        let key = NameKey(item.name, folding: current.foldsNames)
        let types = try item.body == .folder ? packageTypes() : PackageTypes()
        try run(
            """
            INSERT OR REPLACE INTO item (id, parent, name, kind, isPackage, isDeleted, target, layout, size, digest,
                permissions, modified, created, extended, sequence, position, author, authorName, conflicts, nameKey)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, item.columns(isPackage: item.body == .folder && types.isPackage(item.name)) + [Data(key.bytes)])
        if let row, try row["conflicts"] as Int64 > 0 { try run("DELETE FROM conflict WHERE item = ?", [item.id.data]) }
        for conflict in item.conflicts { try put(conflict, of: item.id) }
        try noteVersion(of: item)
        if let row, try row["isDeleted"] as Bool != item.isDeleted { try noteDeletion(of: item) }
        if item.id == .root { try notePackages(PackageTypes(declaredBy: item.attributes), before: types) }
    }

    /// Records the contents given up by an item, and updates the sums.
    private mutating func noteContents(of item: CloudItem, before versions: [NeededContents.Version]) throws {
        let after = item.neededContents
        let before = Set(versions.map(\.content))
        guard before != after else { return }
        for content in after.subtracting(before) { neededSum.add(content) }
        for content in before.subtracting(after) { neededSum.remove(content) }
        for version in versions where !after.contains(version.content) {
            // Conflict versions of a document that is deleted, or became one with another, stay in conflict there or
            // become items.
            guard !item.isDeleted || version.id == item.version else { continue }
            try noteDropped(version, of: item.id)
        }
    }

    /// Records when an item was deleted, and removes the record of a restored item.
    private func noteDeletion(of item: CloudItem) throws {
        guard item.isDeleted else { return try run("DELETE FROM deletion WHERE id = ?", [item.id.data]) }
        let time = max(.zero, origin?.time ?? current.time)
        try run(
            "INSERT OR REPLACE INTO deletion VALUES (?, ?, ?, ?, ?)",
            [
                item.id.data, item.parent.data, time.nanoseconds, origin?.device ?? "",
                Int64(clamping: current.sequence.next.value),
            ])
    }

    /// Updates folders that became packages, or ceased to be, because the root declares different types.
    private func notePackages(_ types: PackageTypes, before: PackageTypes) throws {
        guard types != before else { return }
        for row in try Row.fetchAll(db, sql: "SELECT id, name FROM item WHERE kind = 0") {
            try run(
                "UPDATE item SET isPackage = ? WHERE id = ?",
                [types.isPackage(try ItemName(bytes: row["name"] as Data)), row["id"] as Data])
        }
    }

    private func put(_ conflict: ConflictVersion, of item: ItemID) throws {
        try run(
            "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                item.data, Int64(conflict.version.sequence.value), Int64(conflict.version.index),
                conflict.content.layoutColumn, Int64(bitPattern: conflict.content.size), conflict.content.digestColumn,
                conflict.modified.nanoseconds, Int64(bitPattern: conflict.author.value), conflict.authorName,
                conflict.base.map { Data($0.bytes) },
            ])
    }

    /// Records every once-current content under its version.
    private func noteVersion(of item: CloudItem) throws {
        guard let content = item.body.content?.reference else { return }
        try run(
            "INSERT OR IGNORE INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                item.id.data, Int64(item.version.sequence.value), Int64(item.version.index),
                Int64(content.layout.rawValue), Int64(bitPattern: content.size), Data(content.digest.bytes),
                item.attributes.modified.nanoseconds, item.authorName,
            ])
    }

    func child(of parent: ItemID, key: NameKey) throws -> ItemID? {
        let id = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM item WHERE parent = ? AND nameKey = ? AND isDeleted = 0"),
            arguments: [parent.data, Data(key.bytes)])
        return try id.map(ItemID.init(data:))
    }

    func children(of parent: ItemID) throws -> [ItemID] {
        try Data.fetchAll(
            db.cachedStatement(sql: "SELECT id FROM item WHERE parent = ? AND isDeleted = 0 ORDER BY id"),
            arguments: [parent.data]
        ).map(ItemID.init(data:))
    }

    func hasChildren(_ parent: ItemID) throws -> Bool {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM item WHERE parent = ? AND isDeleted = 0 LIMIT 1"),
            arguments: [parent.data]) != nil
    }

    func alias(of id: ItemID) throws -> ItemID? {
        let target = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT target FROM alias WHERE id = ?"), arguments: [id.data])
        return try target.map(ItemID.init(data:))
    }

    mutating func setAlias(_ id: ItemID, to target: ItemID) throws {
        try run("INSERT OR REPLACE INTO alias VALUES (?, ?)", [id.data, target.data])
        // An item replaced by another is not deleted, and its history can no longer be requested.
        try run("DELETE FROM deletion WHERE id = ?", [id.data])
        try forgetHistory(of: id)
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
