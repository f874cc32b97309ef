import Basics
import CloudModel
import Foundation
import GRDB
import Records
import Synchronization
import Testing

@testable import UbiquityData

@Suite("Values that did not remain")
struct DecisionTests {
    private static let tables = [
        UbiquitousTable("tag", unify: ["name"]), UbiquitousTable("account", conflicts: ["note"]),
        UbiquitousTable("booking"),
    ]
    private static let schema = """
        CREATE TABLE IF NOT EXISTS tag(id TEXT PRIMARY KEY NOT NULL, name TEXT, colour TEXT);
        CREATE TABLE IF NOT EXISTS account(id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE, note TEXT);
        CREATE TABLE IF NOT EXISTS booking(id TEXT PRIMARY KEY NOT NULL,
            account TEXT NOT NULL REFERENCES account ON DELETE CASCADE);
        """

    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let desk: UbiquitousDatabase
    private let lap: UbiquitousDatabase

    init() throws {
        folder = try DataFolder()
        desk = try folder.open("desk", Self.tables, device: 1, Self.schema)
        lap = try folder.open("lap", Self.tables, device: 2, Self.schema)
        try desk.execute("INSERT INTO account VALUES ('a', 'cash', 'one'), ('b', 'bank', NULL)")
        try meet()
    }

    private func publish(_ database: UbiquitousDatabase) throws {
        try database.publish(to: MemoryRecords(cloud: cloud, device: database.device))
        cloud.deliver()
    }

    private func read(_ database: UbiquitousDatabase) throws {
        try database.importFiles(from: MemoryRecords(cloud: cloud))
    }

    /// Publishes the changes of `databases`, in their order, and lets both devices import them.
    private func meet(_ databases: UbiquitousDatabase...) throws {
        for database in databases.isEmpty ? [desk, lap] : databases { try publish(database) }
        for database in [desk, lap] { try read(database) }
        #expect(try desk.dump(Self.tables) == lap.dump(Self.tables))
    }

    /// Both devices set a column of the account `a` without knowing of each other.
    private func write(_ column: String, _ one: String, _ two: String) throws {
        try desk.execute("UPDATE account SET \(column) = '\(one)' WHERE id = 'a'")
        try lap.execute("UPDATE account SET \(column) = '\(two)' WHERE id = 'a'")
        try meet()
    }

    private func account(_ column: String, _ database: UbiquitousDatabase? = nil) throws -> String? {
        try (database ?? desk).text("SELECT \(column) FROM account WHERE id = 'a'")
    }

    // MARK: Lost values

    @Test("a lost value is listed with its row, its device, its time and what replaced it")
    func lost() throws {
        try write("name", "of desk", "of lap")
        let lost = try #require(try desk.lostValues().first)
        #expect(try desk.lostValues().count == 1)
        #expect(lost.table == "account" && lost.key == ["a".databaseValue] && lost.column == "name")
        #expect(lost.value == "of desk".databaseValue && lost.current == "of lap".databaseValue)
        #expect(lost.origin.deviceName == "desk" && lost.origin.isThisDevice)
        #expect(lost.replacedBy.deviceName == "lap" && !lost.replacedBy.isThisDevice)
        #expect(lost.origin.time == Date(timeIntervalSince1970: 1_760_000_000))
        #expect(lost.reason == .replaced)
        #expect(try lap.lostValues().first?.origin.isThisDevice == false)
    }

    @Test("a lost value that is restored is current on all devices and is no longer listed")
    func restored() throws {
        try write("name", "of desk", "of lap")
        try lap.restore(try #require(try lap.lostValues().first))
        #expect(try lap.lostValues().isEmpty)
        try meet()
        #expect(try account("name") == "of desk")
        #expect(try desk.lostValues().count == 1, "the restored edit knew what it replaced, so nothing more was lost")
    }

    @Test("a lost value that a constraint refuses is not restored, and stays listed")
    func refusedRestoration() throws {
        try write("name", "of desk", "of lap")
        try desk.execute("UPDATE account SET name = 'of desk' WHERE id = 'b'")
        let lost = try #require(try desk.lostValues().first)
        #expect(throws: DatabaseError.self) { try desk.restore(lost) }
        #expect(try account("name") == "of lap")
        #expect(try desk.lostValues() == [lost])
        try desk.execute("DELETE FROM account WHERE id = 'a'")
        #expect(throws: UbiquitousDatabaseError.notShown(table: "account")) { try desk.restore(lost) }
    }

    @Test("a deletion that another device's edit refused is listed, and restoring it deletes the row everywhere")
    func deletion() throws {
        try desk.execute("DELETE FROM account WHERE id = 'a'")
        try lap.execute("UPDATE account SET note = 'kept' WHERE id = 'a'")
        try meet()
        let lost = try #require(try desk.lostValues().first)
        #expect(lost.reason == .deletionRefused && lost.column == nil && lost.current == nil)
        #expect(lost.origin.deviceName == "desk")
        try desk.restore(lost)
        try meet()
        #expect(try account("id", lap) == nil)
    }

    @Test("values of two rows that became one are listed under the key of the one that stays")
    func united() throws {
        try desk.execute("INSERT INTO tag VALUES ('1', 'food', 'red')")
        try meet()
        try desk.execute("UPDATE tag SET colour = 'blue'")
        try lap.execute("INSERT INTO tag VALUES ('2', 'food', 'green')")
        try meet(lap, desk)
        let lost = try lap.lostValues().filter { $0.column == "colour" }
        #expect(lost.map(\.value) == ["green", "red"].map(\.databaseValue))
        #expect(lost.map(\.reason) == [.replaced, .united])
        #expect(lost.allSatisfy { $0.key == ["1".databaseValue] && $0.current == "blue".databaseValue })
    }

    @Test("a value of a row that became another one later is listed and restored under the key that the row has now")
    func moved() throws {
        try desk.execute("INSERT INTO tag VALUES ('1', 'food', 'red'), ('2', 'meals', 'red')")
        try meet()
        for (database, colour) in [(desk, "blue"), (lap, "green")] {
            try database.execute("UPDATE tag SET colour = '\(colour)' WHERE id = '2'")
        }
        try meet()
        #expect(try lap.lostValues().map(\.key) == [["2".databaseValue]])
        try desk.execute("UPDATE tag SET name = 'food' WHERE id = '2'")
        try meet()
        let lost = try #require(try lap.lostValues().first { $0.reason == .replaced })
        #expect(lost.key == ["1".databaseValue] && lost.value == "blue".databaseValue)
        #expect(lost.current == "green".databaseValue)
        try lap.restore(lost)
        try meet()
        #expect(try desk.text("SELECT id, colour FROM tag") == "1|blue")
    }

    @Test("lost values are forgotten by the first import later than 30 days after they were lost")
    func forgotten() throws {
        let time = ManualTime()
        let late = try UbiquitousDatabase(
            path: folder.file("late"), tables: Self.tables, identifier: DataFolder.identifier, device: DeviceID(3),
            deviceName: "late", clock: time
        ) { try $0.write { try $0.execute(sql: Self.schema) } }
        try write("name", "of desk", "of lap")
        try read(late)
        time.advance(days: 30)
        try desk.execute("UPDATE account SET name = 'other' WHERE id = 'b'")
        try publish(desk)
        try read(late)
        #expect(try late.lostValues().count == 1)
        time.advance(days: 1)
        try read(late)
        #expect(try late.lostValues().isEmpty)
    }

    // MARK: Rows that stand aside

    @Test(
        "rows that stand aside are listed with the reason, and return when the program inserts them with another value")
    func aside() throws {
        try desk.execute("INSERT INTO account VALUES ('c', 'new', NULL)")
        try lap.execute("INSERT INTO account VALUES ('d', 'new', 'n')", "INSERT INTO booking VALUES ('x', 'd')")
        try publish(desk)
        try read(lap)
        // The log does not have this device's rows yet.
        let rows = try lap.asideRows()
        #expect(
            rows.map(\.reason) == [
                .valueTaken(columns: ["name"], key: ["c".databaseValue]),
                .parentMissing(table: "account", key: ["d".databaseValue]),
            ])
        #expect(rows.map(\.table) == ["account", "booking"])
        #expect(
            rows.first?.values == [
                "id": "d".databaseValue, "name": "new".databaseValue, "note": "n".databaseValue,
            ])
        #expect(rows.first?.origin.deviceName == "lap")
        try meet()
        #expect(try desk.asideRows().map(\.key) == rows.map(\.key))
        try desk.execute("INSERT INTO account VALUES ('d', 'newer', 'n')")
        try meet()
        #expect(try lap.text("SELECT name FROM account WHERE id = 'd'") == "newer")
        #expect(try lap.text("SELECT account FROM booking") == "d")
        for database in [desk, lap] { #expect(try database.asideRows().isEmpty) }
    }

    @Test(
        "a row that a CHECK of this device refuses is listed with SQLite's message, until the device has it otherwise")
    func refused() throws {
        let strict = try folder.open(
            "strict", Self.tables, device: 3, Self.schema.replacing("note TEXT", with: "note TEXT CHECK (note <> 'x')"))
        try desk.execute("UPDATE account SET note = 'x' WHERE id = 'a'")
        try publish(desk)
        try read(strict)
        let row = try #require(try strict.asideRows().first)
        guard case .refused(let message) = row.reason else { return #expect(Bool(false), "\(row.reason)") }
        #expect(message.contains("CHECK") && row.key == ["a".databaseValue] && row.values["note"] == "x".databaseValue)
        #expect(try desk.asideRows().isEmpty, "the constraint is this device's only")
        try strict.execute("INSERT INTO account VALUES ('a', 'cash', 'y')")
        #expect(try strict.asideRows().isEmpty)
        try publish(strict)
        try read(desk)
        #expect(try account("note") == "y")
    }

    // MARK: Values that wait for a decision

    @Test(
        "the values of a column declared conflict are listed with their devices, and one that is chosen stays everywhere"
    )
    func decided() throws {
        try write("note", "of desk", "of lap")
        let conflict = try #require(try desk.conflicts().first)
        #expect(try desk.conflicts().count == 1)
        #expect(conflict.table == "account" && conflict.key == ["a".databaseValue] && conflict.column == "note")
        #expect(conflict.current.value == "of lap".databaseValue && conflict.current.origin.deviceName == "lap")
        #expect(conflict.others.map(\.value) == ["of desk".databaseValue])
        #expect(conflict.others.map(\.origin.deviceName) == ["desk"])
        try desk.decide(conflict, for: try #require(conflict.others.first))
        #expect(try account("note") == "of desk")
        #expect(try desk.conflicts().isEmpty, "its own decision counts before it is published")
        try meet()
        #expect(try account("note", lap) == "of desk")
        for database in [desk, lap] {
            #expect(try database.conflicts().isEmpty)
            #expect(try database.lostValues().isEmpty)
        }
    }

    @Test("a decision for the current value changes no row, and one for a new value sets it")
    func otherDecisions() throws {
        try write("note", "of desk", "of lap")
        let conflict = try #require(try lap.conflicts().first)
        try lap.decide(conflict, for: conflict.current)
        try meet()
        #expect(try account("note") == "of lap")
        #expect(try desk.conflicts().isEmpty)
        try write("note", "one", "two")
        try desk.decide(try #require(try desk.conflicts().first), value: "one and two")
        try meet()
        #expect(try account("note", lap) == "one and two")
        #expect(try lap.conflicts().isEmpty)
    }

    /// A third device with only the first file of the log sets the note of the account `a`.
    private func writeElsewhere() throws {
        let third = try folder.open("third", Self.tables, device: 3, Self.schema)
        try third.importFiles(from: MemoryRecords(cloud: cloud, known: 1))
        try third.execute("UPDATE account SET note = 'third' WHERE id = 'a'")
        try publish(third)
    }

    @Test("a decision drops no value that the person who decided had not seen")
    func unseen() throws {
        try write("note", "of desk", "of lap")
        let conflict = try #require(try desk.conflicts().first)
        try writeElsewhere()
        try read(desk)
        #expect(throws: UbiquitousDatabaseError.conflictChanged(table: "account", column: "note")) {
            try desk.decide(conflict, for: conflict.current)
        }
        let values = try desk.conflicts().flatMap { $0.others + [$0.current] }.map(\.value)
        #expect(Set(values) == Set(["of desk", "of lap", "third"].map(\.databaseValue)))
    }

    @Test(
        "a value that is in the log before a decision, and which the deciding device did not know, waits for another one",
        arguments: [0, 1])
    func unknown(choice: Int) throws {
        try write("note", "of desk", "of lap")
        try writeElsewhere()
        let conflict = try #require(try lap.conflicts().first)
        let chosen = ([conflict.current] + conflict.others)[choice]
        try lap.decide(conflict, for: chosen)
        try meet(lap)
        for database in [desk, lap] {
            let rest = try #require(try database.conflicts().first)
            #expect(rest.current.value == chosen.value)
            #expect(rest.others.map(\.value) == ["third".databaseValue])
        }
    }

    @Test("a device whose program does not declare the column conflict decides like all others")
    func undeclared() throws {
        try write("note", "of desk", "of lap")
        let tables = Self.tables.map { UbiquitousTable($0.name, unify: $0.unify) }
        let plain = try folder.open("plain", tables, device: 4, Self.schema)
        try read(plain)
        try writeElsewhere()
        let conflict = try #require(try plain.conflicts().first)
        try plain.decide(conflict, for: try #require(conflict.others.first))
        #expect(try plain.conflicts().isEmpty)
        try publish(plain)
        try meet()
        let rest = try #require(try desk.conflicts().first)
        #expect([rest.current.value] + rest.others.map(\.value) == ["of desk", "third"].map(\.databaseValue))
        #expect(try desk.lostValues().isEmpty)
    }

    @Test("a database of an earlier layout lists the values that stood beside others before it was opened")
    func migrated() throws {
        try write("note", "of desk", "of lap")
        try desk.close()
        try folder.foreign(
            "desk", "DROP TABLE _ubq_beside", "DROP TABLE _ubq_baseline", "DROP TABLE _ubq_outgoing",
            "DROP TABLE _ubq_kept",
            "DROP TABLE _ubq_known", "DROP TABLE _ubq_former",
            "DROP TABLE _ubq_part", "ALTER TABLE _ubq_state DROP COLUMN baselines",
            "ALTER TABLE _ubq_state DROP COLUMN unfit", "ALTER TABLE _ubq_device DROP COLUMN base",
            "ALTER TABLE _ubq_device DROP COLUMN digest", "ALTER TABLE _ubq_device DROP COLUMN bytes",
            "UPDATE _ubq_state SET layout = 1")
        let desk = try folder.open("desk", Self.tables, device: 1, Self.schema)
        let conflict = try #require(try desk.conflicts().first)
        try desk.decide(conflict, for: conflict.current)
        #expect(try desk.text("SELECT layout FROM _ubq_state") == "4")
        try publish(desk)
        try read(desk)
        #expect(try desk.text("SELECT count(*) FROM _ubq_beside") == "0")
    }
}
