import Foundation
import GRDB
import Records
import Testing

@testable import UbiquityData

@Suite("Tables that can be shared, and that change")
struct SchemaTests {
    private let folder: DataFolder
    private let cloud = MemoryCloud()

    init() throws { folder = try DataFolder() }

    @Test(
        "tables that could not be merged are refused with the reason",
        arguments: [
            ("CREATE TABLE t(id INTEGER PRIMARY KEY NOT NULL, a)", "UUID"),
            ("CREATE TABLE t(a)", "primary key"),
            ("CREATE TABLE t(id TEXT PRIMARY KEY, a); INSERT INTO t VALUES (NULL, 1)", "rows without a key"),
            ("CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL COLLATE NOCASE)", "collation"),
            ("CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, a); CREATE UNIQUE INDEX u ON t(a) WHERE a > 0", "condition"),
            ("CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, a); CREATE UNIQUE INDEX u ON t(lower(a))", "expression"),
            (
                "CREATE TABLE p(id TEXT PRIMARY KEY); CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, p REFERENCES p)",
                "not shared"
            ),
            ("CREATE TABLE u(id TEXT); CREATE VIEW t AS SELECT id FROM u", "ordinary"),
            ("CREATE VIRTUAL TABLE t USING fts5(id)", "ordinary"),
            ("CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, _ubq_a)", "_ubq_"),
            ("CREATE TABLE other(id TEXT PRIMARY KEY NOT NULL)", "no such table"),
        ])
    func refused(_ schema: String, _ reason: String) throws {
        let error = #expect(throws: UbiquitousDatabaseError.self) {
            try folder.open("desk", [UbiquitousTable("t")], schema)
        }
        #expect("\(error as Any)".contains(reason))
    }

    @Test("NULL is refused in a key that is not declared NOT NULL, for every program, with what to do")
    func nullableKey() throws {
        let table = "CREATE TABLE t(id TEXT, part TEXT NOT NULL, a, PRIMARY KEY (id, part))"
        let database = try folder.open("desk", [UbiquitousTable("t")], table)
        try folder.foreign("desk", "INSERT INTO t VALUES ('1', 'x', 0)")
        for sql in [
            "INSERT INTO t VALUES (NULL, 'x', 1)", "INSERT OR REPLACE INTO t VALUES (NULL, 'x', 1)",
            "UPDATE t SET id = NULL", "INSERT INTO t VALUES ('1', 'x', 2) ON CONFLICT DO UPDATE SET id = NULL",
        ] {
            let error = #expect(throws: DatabaseError.self) { try folder.foreign("desk", sql) }
            #expect(error?.message?.contains("give each one a key that is not NULL") == true)
        }
        try folder.foreign("desk", "UPDATE t SET id = '2'")
        let other = try folder.open("lap", [UbiquitousTable("t")], device: 2, table)
        try meet(database, other)
        #expect(try other.dump([UbiquitousTable("t")]) == database.dump([UbiquitousTable("t")]))
    }

    @Test("a database that belongs to another one, or to a newer release, is refused")
    func otherDatabase() throws {
        let schema = "CREATE TABLE IF NOT EXISTS t(id TEXT PRIMARY KEY NOT NULL, a)"
        try folder.open("desk", [UbiquitousTable("t")], schema).close()
        #expect(throws: UbiquitousDatabaseError.self) {
            try UbiquitousDatabase(
                path: folder.file("desk"), tables: [UbiquitousTable("t")],
                identifier: DataFolder.identifier.replacing("8", with: "9"), deviceName: "x")
        }
        #expect(throws: UbiquitousDatabaseError.noIdentifier("x")) {
            try UbiquitousDatabase(
                path: folder.file("new"), tables: [UbiquitousTable("t")], identifier: "x", deviceName: "x")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("new")))
        try folder.foreign("desk", "UPDATE _ubq_state SET layout = layout + 1")
        let found = StateTables.layout + 1
        #expect(throws: UbiquitousDatabaseError.newerLayout(path: folder.file("desk"), found: found)) {
            try folder.open("desk", [UbiquitousTable("t")], schema)
        }
    }

    private func meet(_ databases: UbiquitousDatabase...) throws {
        for database in databases {
            try database.publish(to: MemoryRecords(cloud: cloud, device: database.device))
            cloud.deliver()
        }
        for database in databases { try database.importFiles(from: MemoryRecords(cloud: cloud)) }
    }

    private static let old = "CREATE TABLE IF NOT EXISTS t(id TEXT PRIMARY KEY NOT NULL, a)"
    private static let tables = [UbiquitousTable("t")]

    @Test("a column that only a newer program has waits on the older device until its table has it")
    func newColumn() throws {
        let desk = try folder.open("desk", Self.tables, device: 1, Self.old)
        try folder.foreign("lap", Self.old, "ALTER TABLE t ADD COLUMN color TEXT DEFAULT 'grey'")
        let lap = try folder.open("lap", Self.tables, device: 2, version: 2, "SELECT 1")
        try lap.execute("INSERT INTO t VALUES ('1', 'x', 'red')")
        try desk.execute("INSERT INTO t VALUES ('2', 'y')")
        try meet(desk, lap)
        #expect(try desk.text("SELECT group_concat(id || a) FROM (SELECT * FROM t ORDER BY id)") == "1x,2y")
        #expect(try lap.text("SELECT group_concat(id || color) FROM (SELECT * FROM t ORDER BY id)") == "1red,2grey")
        try desk.execute("UPDATE t SET a = 'z' WHERE id = '1'")
        try desk.close()
        let updated = try folder.open(
            "desk", Self.tables, device: 1, version: 2, "ALTER TABLE t ADD COLUMN color TEXT DEFAULT 'grey'")
        #expect(
            try updated.text("SELECT group_concat(id || a || color) FROM (SELECT * FROM t ORDER BY id)")
                == "1zred,2ygrey")
        try meet(updated, lap)
        #expect(try lap.dump(Self.tables) == updated.dump(Self.tables))
    }

    @Test("a table that only a newer program has waits on the older device, which goes on sharing the others")
    func newTable() throws {
        let newer = "\(Self.old); CREATE TABLE IF NOT EXISTS u(id TEXT PRIMARY KEY NOT NULL, t TEXT REFERENCES t, b)"
        let newerTables = Self.tables + [UbiquitousTable("u", counters: ["b"])]
        let desk = try folder.open("desk", Self.tables, device: 1, Self.old)
        let lap = try folder.open("lap", newerTables, device: 2, version: 2, newer)
        try lap.execute("INSERT INTO t VALUES ('1', 'x')", "INSERT INTO u VALUES ('a', '1', 5)")
        try meet(desk, lap)
        #expect(try desk.text("SELECT a FROM t") == "x")
        // A deletion by the older device does not take away data invisible to it.
        try desk.execute("INSERT INTO t VALUES ('2', 'y')", "DELETE FROM t WHERE id = '1'")
        try lap.execute("UPDATE u SET b = b + 2")
        try meet(desk, lap)
        #expect(try lap.text("SELECT t, b FROM u") == "1|7")
        #expect(try lap.text("PRAGMA foreign_key_check") == nil)
        try desk.close()
        let updated = try folder.open("desk", newerTables, device: 1, version: 2, newer)
        #expect(try updated.text("SELECT t, b FROM u") == "1|7", "without another import")
        try updated.execute("UPDATE u SET b = b + 1")
        try meet(updated, lap)
        #expect(try lap.text("SELECT b FROM u") == "8")
        #expect(try lap.dump(newerTables) == updated.dump(newerTables))
    }

    @Test("a program that rebuilds a table drops its triggers; what it wrote since is found when the library opens it")
    func rebuilt() throws {
        let desk = try folder.open("desk", Self.tables, device: 1, Self.old)
        let lap = try folder.open("lap", Self.tables, device: 2, Self.old)
        try desk.execute("INSERT INTO t VALUES ('1', 'x'), ('2', 'y'), ('3', 'z')")
        try meet(desk, lap)
        try desk.execute("UPDATE t SET a = 'pending' WHERE id = '3'")
        try desk.close()
        try folder.foreign(
            "desk", "CREATE TABLE n(id TEXT PRIMARY KEY NOT NULL, a, b DEFAULT 5)",
            "INSERT INTO n(id, a) SELECT * FROM t",
            "DROP TABLE t", "ALTER TABLE n RENAME TO t", "UPDATE t SET a = 'unseen' WHERE id = '1'",
            "DELETE FROM t WHERE id = '2'", "INSERT INTO t VALUES ('4', 'new', 6)")
        let reopened = try folder.open("desk", Self.tables, device: 1, Self.old)
        try meet(reopened, lap)
        #expect(
            try lap.text("SELECT group_concat(id || a) FROM (SELECT * FROM t ORDER BY id)") == "1unseen,3pending,4new")
        #expect(
            try reopened.text("SELECT group_concat(id || a || b) FROM (SELECT * FROM t ORDER BY id)")
                == "1unseen5,3pending5,4new6")
        try reopened.execute("DELETE FROM t WHERE id = '4'")
        try meet(reopened, lap)
        #expect(try lap.text("SELECT count(*) FROM t") == "2")
    }

    @Test("a renamed column keeps its values, and other devices get them under the new name")
    func renamed() throws {
        let desk = try folder.open("desk", Self.tables, device: 1, Self.old)
        try desk.execute("INSERT INTO t VALUES ('1', 'x')")
        try desk.publish(to: MemoryRecords(cloud: cloud, device: desk.device))
        try desk.close()
        try folder.foreign("desk", "ALTER TABLE t RENAME COLUMN a TO b")
        let reopened = try folder.open("desk", Self.tables, device: 1, version: 2, Self.old)
        #expect(try reopened.text("SELECT b FROM t") == "x")
        let lap = try folder.open(
            "lap", Self.tables, device: 2, version: 2, "CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, b)")
        try meet(reopened, lap)
        #expect(try lap.text("SELECT b FROM t") == "x")
    }

    @Test("rules of tables are sent once for each version of the schema")
    func rules() throws {
        for version in [1, 1, 2, 2, 1] as [UInt64] {
            let database = try folder.open("desk", Self.tables, version: version, Self.old)
            try database.publish(to: MemoryRecords(cloud: cloud))
            try database.close()
        }
        cloud.deliver()
        #expect(try cloud.transactions.map { $0.rules.map(\.version) } == [[1], [2]])
    }
}
