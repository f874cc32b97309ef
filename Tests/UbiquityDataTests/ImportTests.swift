import CloudModel
import Dispatch
import Foundation
import GRDB
import Records
import Testing

@testable import UbiquityData

@Suite("Importing transactions")
struct ImportTests {
    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let desk: UbiquitousDatabase
    private let lap: UbiquitousDatabase

    init() throws {
        folder = try DataFolder()
        desk = try folder.open("desk", BookTables.all, device: 1, BookTables.schema)
        lap = try folder.open("lap", BookTables.all, device: 2, BookTables.schema)
        try desk.execute("INSERT INTO account VALUES ('a', 'cash', 10), ('b', 'bank', 0)")
        try meet()
    }

    private func publish(_ database: UbiquitousDatabase) throws {
        try database.publish(to: MemoryRecords(cloud: cloud, device: database.device))
        cloud.deliver()
    }

    @discardableResult
    private func read(_ database: UbiquitousDatabase) throws -> UbiquitousChanges {
        try database.importFiles(from: MemoryRecords(cloud: cloud))
    }

    private func meet() throws {
        for database in [desk, lap] { try publish(database) }
        for database in [desk, lap] { try read(database) }
        #expect(try desk.dump(BookTables.all) == lap.dump(BookTables.all))
    }

    @Test("an import says which rows it changed, and a second one changes nothing")
    func changes() throws {
        try desk.execute(
            "UPDATE account SET name = 'purse' WHERE id = 'a'", "DELETE FROM account WHERE id = 'b'",
            "INSERT INTO account(id, name) VALUES ('c', 'x')")
        try publish(desk)
        let changes = try read(lap)
        #expect(
            changes.rows.map { "\($0.table) \($0.key) \($0.kind)" }.sorted() == [
                "account [\"a\"] updated", "account [\"b\"] deleted", "account [\"c\"] inserted",
            ])
        #expect(changes.files == 1)
        #expect(try read(lap).isEmpty)
        #expect(try lap.prepareFiles().isEmpty, "what was imported is not published again")
    }

    @Test("what is pending stays behind what arrives: counters are summed, and the later edit of a column wins")
    func rebase() throws {
        try desk.execute("UPDATE account SET balance = balance + 5, name = 'desk' WHERE id = 'a'")
        try lap.execute("UPDATE account SET balance = balance - 2, name = 'lap' WHERE id = 'a'")
        try publish(desk)
        try read(lap)
        #expect(try lap.text("SELECT name, balance FROM account WHERE id = 'a'") == "lap|13")
        try meet()
        #expect(try desk.text("SELECT name, balance FROM account WHERE id = 'a'") == "lap|13")
        #expect(try desk.lostValues().map(\.value) == ["desk".databaseValue])
    }

    @Test("two rows with one natural key become one, and their children follow")
    func unify() throws {
        try desk.execute("INSERT INTO tag VALUES ('1', 'food')", "INSERT INTO booking VALUES ('x', 'a', '1')")
        try lap.execute("INSERT INTO tag VALUES ('2', 'food')", "INSERT INTO booking VALUES ('y', 'a', '2')")
        try publish(desk)
        try read(lap)
        #expect(try lap.text("SELECT group_concat(id || tag) FROM (SELECT * FROM booking ORDER BY id)") == "x1,y1")
        // The device knows that its row became a different row, and the log does not yet.
        try lap.execute("UPDATE tag SET name = 'meals' WHERE id = '1'", "DELETE FROM booking WHERE id = 'x'")
        try meet()
        #expect(try desk.text("SELECT group_concat(id || name) FROM tag") == "1meals")
        #expect(try desk.text("SELECT group_concat(id || tag) FROM (SELECT * FROM booking ORDER BY id)") == "y1")
    }

    @Test("a parent that one device deletes returns when another gives it a child")
    func parents() throws {
        try desk.execute("DELETE FROM account WHERE id = 'a'")
        try lap.execute("INSERT INTO booking VALUES ('x', 'a', NULL)")
        try meet()
        #expect(try desk.text("SELECT name, balance FROM account WHERE id = 'a'") == "cash|10")
        #expect(try desk.text("SELECT account FROM booking") == "a")
    }

    @Test("a device that deletes a parent shows it again when the log has another's child before the deletion")
    func refusedDeletion() throws {
        try desk.execute("DELETE FROM account WHERE id = 'a'")
        try lap.execute("INSERT INTO booking VALUES ('x', 'a', NULL)")
        try publish(lap)
        try meet()
        #expect(try desk.text("SELECT name, balance FROM account WHERE id = 'a'") == "cash|10")
        #expect(try desk.text("PRAGMA foreign_key_check") == nil)
    }

    @Test("rows exchange unique values, and a row with a value that is taken stands aside until it is free")
    func uniques() throws {
        try desk.execute(
            "UPDATE account SET name = NULL WHERE id = 'a'", "UPDATE account SET name = 'cash' WHERE id = 'b'",
            "UPDATE account SET name = 'bank' WHERE id = 'a'")
        try meet()
        try desk.execute("INSERT INTO account(id, name) VALUES ('c', 'new')")
        try lap.execute(
            "INSERT INTO account(id, name) VALUES ('d', 'new')", "INSERT INTO booking VALUES ('y', 'd', NULL)")
        try meet()
        #expect(try lap.text("SELECT group_concat(id) FROM account WHERE name = 'new'") == "c")
        #expect(try lap.text("SELECT count(*) FROM booking") == "0")
        try desk.execute("UPDATE account SET name = 'other' WHERE id = 'c'")
        try meet()
        #expect(try lap.text("SELECT group_concat(id) FROM account WHERE name = 'new'") == "d")
        #expect(try desk.text("SELECT account FROM booking") == "d")
    }

    @Test("an observation of GRDB sees an import as one change")
    func observation() throws {
        let seen = SeenCounts()
        let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM account") ?? 0 }
            .removeDuplicates()
        let cancellable = observation.start(
            in: lap.reader, scheduling: .async(onQueue: DispatchQueue(label: "observer"))
        ) { error in
            Issue.record(error)
        } onChange: {
            seen.add($0)
        }
        #expect(seen.wait(for: 1) == [2])
        try desk.execute("INSERT INTO account(id) VALUES ('c'), ('d')", "INSERT INTO account(id) VALUES ('e')")
        try publish(desk)
        try read(lap)
        #expect(seen.wait(for: 2) == [2, 5])
        cancellable.cancel()
    }

    @Test("an import that cannot read a file, or does not understand one, changes nothing and continues later")
    func failures() throws {
        try desk.execute("DELETE FROM account")
        try publish(desk)
        let before = try lap.dump(BookTables.all)
        #expect(throws: MemoryRecords.Death.reading) {
            try lap.importFiles(from: MemoryRecords(cloud: cloud, death: .reading))
        }
        #expect(throws: RecordFileError.self) { try lap.importFiles(from: NewerRecords(cloud: cloud)) }
        #expect(try lap.dump(BookTables.all) == before)
        try read(lap)
        #expect(try lap.dump(BookTables.all).isEmpty)
    }

    @Test("a row that a CHECK of this device refuses is reported, kept, and shown when the log has it otherwise")
    func refused() throws {
        let strict = try folder.open(
            "strict", BookTables.all, device: 3,
            BookTables.schema.replacing("DEFAULT 0", with: "DEFAULT 0 CHECK (balance < 100)"))
        try desk.execute("UPDATE account SET balance = 200 WHERE id = 'a'")
        try publish(desk)
        let changes = try read(strict)
        #expect(changes.refused.map(\.key) == [["a".databaseValue]])
        #expect(try strict.text("SELECT group_concat(id) FROM account") == "b")
        try desk.execute("UPDATE account SET balance = 50 WHERE id = 'a'")
        try publish(desk)
        #expect(try read(strict).refused.isEmpty)
        #expect(try strict.text("SELECT balance FROM account WHERE id = 'a'") == "50")
    }
}

/// Collects numbers from any thread.
// The condition guards the numbers.
private final class SeenCounts: @unchecked Sendable {
    private var counts: [Int] = []
    private let condition = NSCondition()

    func add(_ count: Int) {
        condition.withLock {
            counts.append(count)
            condition.broadcast()
        }
    }

    func wait(for number: Int) -> [Int] {
        condition.withLock {
            let limit = Date(timeIntervalSinceNow: 20)
            while counts.count < number, condition.wait(until: limit) {}
            return counts
        }
    }
}

/// A log with files of a newer format.
private struct NewerRecords: RecordSource {
    let cloud: MemoryCloud

    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place] {
        try MemoryRecords(cloud: cloud).files(after: folded)
    }

    func read(_ file: RecordFileOrder.Place) throws -> [UInt8] {
        var bytes = try MemoryRecords(cloud: cloud).read(file)
        bytes[4] = RecordFile.format + 1
        return bytes
    }

    func baselines() throws -> [ListedBaseline] { [] }
    func read(_ part: Int?, of baseline: RecordBaseline.Name) throws -> [UInt8] { [] }
}
