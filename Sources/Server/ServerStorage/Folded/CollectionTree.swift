import Basics
import CloudModel
import ContainerLog
import Foundation
import GRDB

/// The folded log of one container in a database of its own, which is open in a transaction. Beside the tree it records which contents
/// items gave up, and when: a collection removes those after some time.
struct CollectionTree: KeylessTree {
    let db: Database
    /// When the entry that is being folded arrived, in seconds since 1970 UTC.
    var now: Int64 = 0
    private var current: LogState

    static let tables = """
        CREATE TABLE state (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            sequence INTEGER NOT NULL, rules INTEGER NOT NULL, time INTEGER NOT NULL, foldsNames INTEGER NOT NULL
        );
        CREATE TABLE item (
            id BLOB PRIMARY KEY, parent BLOB NOT NULL, key BLOB NOT NULL, isDeleted INTEGER NOT NULL, data BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX child ON item (parent, key) WHERE isDeleted = 0;
        CREATE TABLE alias (id BLOB PRIMARY KEY, target BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE device (id INTEGER PRIMARY KEY, number INTEGER NOT NULL);
        CREATE TABLE dropped (
            digest BLOB NOT NULL, layout INTEGER NOT NULL, size INTEGER NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (digest, layout, size)
        ) WITHOUT ROWID;
        """

    init(_ db: Database) throws {
        self.db = db
        let row = try Row.fetchOne(db, sql: "SELECT sequence, rules, time, foldsNames FROM state")
        current =
            row.map { row in
                LogState(
                    sequence: LogSequence(UInt64(clamping: row[0] as Int64)), storedRules: row[1],
                    time: Timestamp(nanoseconds: row[2]), foldsNames: row[3])
            } ?? LogState()
    }

    func state() -> LogState { current }

    mutating func setState(_ state: LogState) { current = state }

    /// Writes the state that ``setState(_:)`` last received: once per transaction, not once per entry.
    func saveState() throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO state VALUES (1, ?, ?, ?, ?)",
            arguments: [
                Int64(current.sequence.value), current.storedRules, current.time.nanoseconds, current.foldsNames,
            ])
    }

    func lastSequence(of device: DeviceID) throws -> UInt64 {
        let number = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM device WHERE id = ?"),
            arguments: [Int64(bitPattern: device.value)])
        return UInt64(number ?? 0)
    }

    mutating func setLastSequence(_ number: UInt64, of device: DeviceID) throws {
        try run("INSERT OR REPLACE INTO device VALUES (?, ?)", [Int64(bitPattern: device.value), Int64(number)])
    }

    func item(_ id: ItemID) throws -> CloudItem? {
        let data = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT data FROM item WHERE id = ?"), arguments: [id.key])
        return try data.map { try CloudItem(decoding: $0) }
    }

    mutating func put(_ item: CloudItem) throws {
        let before = try self.item(item.id)?.neededContents ?? []
        for content in before.subtracting(item.neededContents) {
            try run(
                """
                INSERT INTO dropped VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET at = MAX(at, excluded.at)
                """,
                [Data(content.digest.bytes), Int64(content.layout.rawValue), Int64(clamping: content.size), now])
        }
        let key = NameKey(item.name, folding: current.foldsNames)
        try run(
            "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?)",
            [item.id.key, item.parent.key, Data(key.bytes), item.isDeleted, Data(item.encoded())])
    }

    func child(of parent: ItemID, key: NameKey) throws -> ItemID? {
        let data = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM item WHERE parent = ? AND key = ? AND isDeleted = 0"),
            arguments: [parent.key, Data(key.bytes)])
        return data.flatMap { ItemID(key: $0) }
    }

    func children(of parent: ItemID) throws -> [ItemID] {
        try Data.fetchAll(
            db.cachedStatement(sql: "SELECT id FROM item WHERE parent = ? AND isDeleted = 0 ORDER BY id"),
            arguments: [parent.key]
        ).compactMap { ItemID(key: $0) }
    }

    func hasChildren(_ parent: ItemID) throws -> Bool {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM item WHERE parent = ? AND isDeleted = 0 LIMIT 1"),
            arguments: [parent.key]) != nil
    }

    func alias(of id: ItemID) throws -> ItemID? {
        let data = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT target FROM alias WHERE id = ?"), arguments: [id.key])
        return data.flatMap { ItemID(key: $0) }
    }

    mutating func setAlias(_ id: ItemID, to target: ItemID) throws {
        try run("INSERT OR REPLACE INTO alias VALUES (?, ?)", [id.key, target.key])
    }

    private func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension ItemID {
    /// The id as sixteen bytes that sort like the id.
    fileprivate var key: Data {
        var bytes = Data(capacity: 16)
        for word in [high, low] { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        return bytes
    }

    fileprivate init?(key: Data) {
        guard key.count == 16 else { return nil }
        let words = [key.prefix(8), key.suffix(8)].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(high: words[0], low: words[1])
    }
}
