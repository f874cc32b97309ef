import Foundation
import GRDB
import Records
import TestSupport
import Testing

@testable import UbiquityData

@Suite("Capturing transactions")
struct CaptureTests {
    private static let tables = [
        UbiquitousTable("account", counters: ["balance"]), UbiquitousTable("booking", conflicts: ["text"]),
        UbiquitousTable("label", sets: ["members"]),
    ]
    private static let schema = """
        CREATE TABLE IF NOT EXISTS account(id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE, balance INTEGER NOT NULL DEFAULT 0,
            doubled GENERATED ALWAYS AS (balance * 2) STORED);
        CREATE TABLE IF NOT EXISTS booking(id TEXT PRIMARY KEY NOT NULL, account TEXT REFERENCES account ON DELETE CASCADE,
            text, amount REAL);
        CREATE TABLE IF NOT EXISTS label(account TEXT NOT NULL REFERENCES account ON DELETE CASCADE ON UPDATE CASCADE,
            tag TEXT NOT NULL, members TEXT, PRIMARY KEY (account, tag)) WITHOUT ROWID;
        """

    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let database: UbiquitousDatabase

    init() throws {
        folder = try DataFolder()
        database = try folder.open("desk", Self.tables, Self.schema)
        try database.execute(
            "INSERT INTO account VALUES ('a', 'cash', 5), ('b', 'bank', 7)",
            "INSERT INTO booking VALUES ('1', 'a', 'bread', 2.5), ('2', 'b', NULL, 1)",
            "INSERT INTO label VALUES ('a', 'red', '[1]')")
        _ = try taken()
    }

    /// Returns the transactions committed since the last call, without mere declarations of rules.
    private func taken() throws -> [RecordTransaction] {
        let before = cloud.log.count
        try database.publish(to: MemoryRecords(cloud: cloud))
        cloud.deliver()
        return try cloud.log[before...].flatMap { try RecordFile(decoding: $0.bytes).transactions }
            .filter { !$0.changes.isEmpty }
    }

    private static func name(_ text: String) throws -> RecordName { try #require(RecordName(text)) }

    private static func row(_ table: String, _ key: RecordValue...) throws -> RowID {
        RowID(table: try name(table), key: try #require(RecordKey(key)))
    }

    // MARK: Borders

    @Test("each transaction of the library is one transaction, with its changes and nothing of the next one")
    func borders() throws {
        try database.execute("UPDATE account SET name = 'purse' WHERE id = 'a'", "DELETE FROM booking WHERE id = '2'")
        try database.execute("UPDATE account SET name = 'wallet' WHERE id = 'a'")
        let name = try Self.name("name")
        let account = try Self.row("account", .text("a"))
        #expect(
            try taken().map(\.changes) == [
                [
                    RecordChange(account, .update, edits: [name: .set(.text("purse"))]),
                    RecordChange(try Self.row("booking", .text("2")), .delete),
                ],
                [RecordChange(account, .update, edits: [name: .set(.text("wallet"))])],
            ])
    }

    @Test("what another program commits is apart from transactions of the library before and after it")
    func foreignBorders() throws {
        try database.execute("UPDATE account SET name = 'one' WHERE id = 'a'")
        try folder.foreign("desk", "UPDATE account SET name = 'two' WHERE id = 'a'")
        try database.execute("UPDATE account SET name = 'three' WHERE id = 'a'")
        let name = try Self.name("name")
        #expect(
            try taken().map { $0.changes.map { $0.edits[name]?.result } } == [
                [.text("one")], [.text("two")], [.text("three")],
            ])
    }

    @Test("what was rolled back, or changed back, is not captured")
    func undone() throws {
        #expect(throws: CancellationError.self) {
            try database.write { db in
                try db.execute(sql: "DELETE FROM account")
                throw CancellationError()
            }
        }
        try database.execute(
            "UPDATE account SET name = 'x' WHERE id = 'a'", "UPDATE account SET name = 'cash' WHERE id = 'a'")
        try database.execute("INSERT INTO account(id) VALUES ('c')", "DELETE FROM account WHERE id = 'c'")
        #expect(try taken().isEmpty)
    }

    // MARK: Statements

    @Test("rows that REPLACE removes are captured, and so are the children that go with them")
    func replaced() throws {
        try database.execute("INSERT OR REPLACE INTO account(id, name) VALUES ('c', 'cash')")
        let changes = try taken().flatMap(\.changes)
        #expect(
            changes.filter { $0.kind == .delete }.map(\.row) == [
                try Self.row("account", .text("a")), try Self.row("booking", .text("1")),
                try Self.row("label", .text("a"), .text("red")),
            ])
        #expect(changes.filter { $0.kind == .insert }.map(\.row) == [try Self.row("account", .text("c"))])
    }

    @Test("a row that takes the rowid of another one with REPLACE removes it")
    func replacedRowID() throws {
        try folder.foreign(
            "desk", "PRAGMA foreign_keys = OFF",
            "INSERT OR REPLACE INTO account(rowid, id) SELECT rowid, 'c' FROM account WHERE id = 'a'",
            "UPDATE OR REPLACE account SET rowid = (SELECT rowid FROM account WHERE id = 'b') WHERE id = 'c'")
        let changes = try taken().flatMap(\.changes)
        #expect(
            changes.map(\.row) == [
                try Self.row("account", .text("a")), try Self.row("account", .text("b")),
                try Self.row("account", .text("c")),
            ])
        #expect(changes.map(\.kind) == [.delete, .delete, .insert])
    }

    @Test("a key that changes is a deletion and a new row, with the children that follow it")
    func movedKey() throws {
        try database.execute("DELETE FROM booking", "UPDATE account SET id = 'c' WHERE id = 'a'")
        let changes = try taken().flatMap(\.changes).filter { $0.row.table.description != "booking" }
        #expect(
            changes.map(\.row) == [
                try Self.row("account", .text("a")), try Self.row("account", .text("c")),
                try Self.row("label", .text("a"), .text("red")), try Self.row("label", .text("c"), .text("red")),
            ])
        #expect(changes.map(\.kind) == [.delete, .insert, .delete, .insert])
    }

    @Test("counters, sets and conflict columns say what was done to them; generated columns are left out")
    func merges() throws {
        try database.execute(
            "UPDATE account SET balance = balance + 3 WHERE id = 'a'",
            "UPDATE booking SET text = 'rolls' WHERE id = '1'",
            #"UPDATE label SET members = '["x",1]'"#)
        let edits = try taken().flatMap(\.changes).map(\.edits)
        #expect(
            edits == [
                [try Self.name("balance"): .add(.integer(3), result: .integer(8))],
                [try Self.name("text"): .offer(.text("rolls"))],
                [
                    try Self.name("members"): .members(
                        adding: [.text("x")], removing: [], result: .text(#"["x",1]"#))
                ],
            ])
    }

    @Test("values arrive byte by byte: texts with NUL and without UTF-8, blobs, infinity, NaN and whole real numbers")
    func values() throws {
        for value in [
            "CAST(x'610062' AS TEXT)", "CAST(x'ff' AS TEXT)", "x''", "x'0001'", "9e999", "-9e999", "''", "2.0",
        ] {
            try database.execute("UPDATE booking SET text = \(value) WHERE id = '1'")
        }
        let text = try Self.name("text")
        #expect(
            try taken().map { $0.changes[0].edits[text]?.result } == [
                .text([97, 0, 98]), .text([255]), .blob([]), .blob([0, 1]), .real(.infinity), .real(-.infinity),
                .text([UInt8]()), .real(2),
            ])
        try database.write { try $0.execute(sql: "UPDATE booking SET text = ?", arguments: [Double.nan]) }
        #expect(try taken()[0].changes[0].edits[text]?.result == .null)
    }

    @Test("the sqlite3 shell is captured like any program, as one transaction for what it committed meanwhile")
    func shell() async throws {
        let runner = ProgramRunner(environment: [:]) {}
        let sql = """
            BEGIN; INSERT INTO account VALUES ('s', 'shell', 1); INSERT INTO booking VALUES ('3', 's', 'x', 1); COMMIT;
            REPLACE INTO account VALUES ('t', 'bank', 9);
            """
        try await runner.run("sqlite3", [folder.file("desk"), sql], in: folder.path).text()
        let transactions = try taken()
        #expect(transactions.count == 1)
        #expect(transactions[0].changes.map(\.row.key.values[0]) == ["b", "s", "t", "3"].map { .text($0) })
    }

    // MARK: Triggers of the program

    @Test("triggers that a program made later, and that write to the row that fired them, hide no change")
    func laterTriggers() throws {
        try folder.foreign(
            "desk",
            "CREATE TRIGGER made AFTER INSERT ON booking BEGIN UPDATE booking SET amount = 9 WHERE id = NEW.id; END",
            """
            CREATE TRIGGER changed AFTER UPDATE OF text ON booking BEGIN
                UPDATE booking SET amount = 10 WHERE id = NEW.id;
            END
            """,
            """
            CREATE TRIGGER again AFTER DELETE ON booking WHEN OLD.id = '2' BEGIN
                INSERT INTO booking VALUES (OLD.id, OLD.account, 'again', OLD.amount);
            END
            """)
        try database.execute(
            "INSERT INTO booking VALUES ('3', 'a', 'rolls', 1)", "UPDATE booking SET text = 'x' WHERE id = '1'",
            "DELETE FROM booking WHERE id = '2'")
        let (account, text, amount) = (try Self.name("account"), try Self.name("text"), try Self.name("amount"))
        #expect(
            try taken().flatMap(\.changes) == [
                RecordChange(
                    try Self.row("booking", .text("1")), .update,
                    edits: [text: .offer(.text("x")), amount: .set(.real(10))]),
                RecordChange(
                    try Self.row("booking", .text("2")), .update,
                    edits: [text: .offer(.text("again")), amount: .set(.real(9))]),
                RecordChange(
                    try Self.row("booking", .text("3")), .insert,
                    edits: [account: .set(.text("a")), text: .set(.text("rolls")), amount: .set(.real(9))]),
            ])
    }

    @Test("a row that a later trigger replaces, or after which it fails, is captured as a new one")
    func replacingTrigger() throws {
        try folder.foreign(
            "desk",
            """
            CREATE TRIGGER again AFTER INSERT ON account WHEN NEW.name = 'x' BEGIN
                REPLACE INTO account(id, name) VALUES (NEW.id, 'y');
            END
            """,
            """
            CREATE TRIGGER refusal AFTER INSERT ON account WHEN NEW.name = 'z' BEGIN
                SELECT RAISE(FAIL, 'the row stays');
            END
            """,
            """
            CREATE TRIGGER moving AFTER UPDATE OF id ON account WHEN NEW.id = 'e' BEGIN
                SELECT RAISE(FAIL, 'the row stays');
            END
            """)
        try database.execute("INSERT INTO account VALUES ('c', 'x', 7)")
        for sql in ["INSERT INTO account VALUES ('d', 'z', 7)", "UPDATE account SET id = 'e' WHERE id = 'd'"] {
            try database.write { db in
                _ = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            }
        }
        let changes = try taken().map { $0.changes.map { "\($0.kind) \($0.row.key.values[0])" } }
        let (c, d, e) = (RecordValue.text("c"), RecordValue.text("d"), RecordValue.text("e"))
        #expect(changes == [["insert \(c)"], ["insert \(d)"], ["delete \(d)", "insert \(e)"]])
    }

    // MARK: Random statements

    @Test("after random statements of several connections the captured transactions lead from one state to the next")
    func random() throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let schema = RandomSchema(&random)
            let folder = try DataFolder()
            let database = try folder.open("desk", schema.tables, schema.sql)
            let cloud = MemoryCloud()
            var model = Dump()
            for _ in 0..<6 {
                var states: [Dump] = []
                for _ in 0..<random.number(1..<4) {
                    try schema.act(on: database, in: folder.file("desk"), &random)
                    states.append(try database.dump(schema.tables))
                }
                let before = cloud.log.count
                try database.publish(to: MemoryRecords(cloud: cloud))
                cloud.deliver()
                let transactions = try cloud.log[before...].flatMap { try RecordFile(decoding: $0.bytes).transactions }
                for transaction in transactions where !transaction.changes.isEmpty {
                    transaction.replay(on: &model)
                    // Foreign transactions may count as one, and a transaction without changes as none.
                    let place = states.firstIndex(of: model)
                    #expect(place != nil, "seed \(seed)")
                    states.removeFirst(place.map { $0 + 1 } ?? 0)
                }
                let isEqual = try model == database.dump(schema.tables)
                #expect(isEqual, "seed \(seed)")
            }
            try database.close()
        }
    }
}
