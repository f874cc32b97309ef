import Foundation
import GRDB
import Records
import Testing

@testable import UbiquityData

@Suite("Histories of rows, and databases whose program knows no library")
struct RowHistoryTests {
    private static let tables = [
        UbiquitousTable("account", counters: ["balance"], conflicts: ["note"]),
        UbiquitousTable("booking", conflicts: ["text"]),
    ]
    private static let schema = """
        CREATE TABLE IF NOT EXISTS account(id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE, note TEXT, balance INTEGER);
        CREATE TABLE IF NOT EXISTS booking(year INTEGER NOT NULL, id TEXT NOT NULL, text, PRIMARY KEY (year, id));
        """

    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let desk: UbiquitousDatabase
    private let lap: UbiquitousDatabase

    init() throws {
        folder = try DataFolder()
        desk = try folder.open("desk", Self.tables, device: 1, Self.schema)
        lap = try folder.open("lap", Self.tables, device: 2, Self.schema)
        try desk.execute(
            "INSERT INTO account VALUES ('a', 'cash', 'one', 1)", "INSERT INTO booking VALUES (2026, '7', 'x')")
        try meet()
    }

    private func meet() throws {
        for database in [desk, lap] {
            try database.publish(to: MemoryRecords(cloud: cloud, device: database.device))
            cloud.deliver()
        }
        for database in [desk, lap] { try database.importFiles(from: MemoryRecords(cloud: cloud)) }
    }

    private func history(_ database: UbiquitousDatabase, _ id: String = "a") throws -> RowHistory {
        try #require(try database.history(of: "account", key: [id.databaseValue]))
    }

    @Test("each column has the device that wrote it, and what was replaced unseen is listed")
    func columns() throws {
        try desk.execute("UPDATE account SET name = 'till', note = 'desk', balance = 2")
        try lap.execute("UPDATE account SET name = 'purse', note = 'lap', balance = 5")
        try meet()
        for database in [desk, lap] {
            let history = try history(database)
            #expect(history.place == .live && history.created.deviceName == "desk")
            let columns = Dictionary(uniqueKeysWithValues: history.columns.map { ($0.name, $0) })
            #expect(columns["name"]?.value == "purse".databaseValue && columns["name"]?.origin.deviceName == "lap")
            #expect(columns["name"]?.origin.isThisDevice == (database === lap))
            #expect(columns["balance"]?.value == 6.databaseValue)
            #expect(columns["note"]?.others.map(\.value) == ["desk".databaseValue])
            #expect(history.lost.map(\.value) == ["till".databaseValue])
        }
    }

    @Test("what this device has committed and not published is in the history")
    func pending() throws {
        try desk.execute("UPDATE account SET name = 'till'")
        let column = try history(desk).columns.first { $0.name == "name" }
        #expect(column?.value == "till".databaseValue && column?.origin.isThisDevice == true)
    }

    @Test("the history says who deleted a row, and why one stands aside")
    func places() throws {
        try lap.execute("DELETE FROM account")
        try meet()
        guard case .deleted(let origin) = try history(desk).place else { throw CancellationError() }
        #expect(origin.deviceName == "lap")
        try desk.execute("INSERT INTO account VALUES ('b', 'same', NULL, 0)")
        try lap.execute("INSERT INTO account VALUES ('c', 'same', NULL, 0)")
        try meet()
        #expect(
            try history(lap, "c").place == .aside(.valueTaken(columns: ["name"], key: ["b".databaseValue])))
        #expect(try desk.history(of: "account", key: ["none".databaseValue]) == nil)
        #expect(throws: UbiquitousDatabaseError.self) { try desk.history(of: "none", key: ["a".databaseValue]) }
        #expect(throws: UbiquitousDatabaseError.self) {
            try desk.history(of: "account", key: [1.databaseValue, 2.databaseValue])
        }
    }

    @Test("a key that a person types may be a number or a text")
    func typedKeys() throws {
        #expect(try desk.key(of: "booking", texts: ["2026", "7"]) == [2026.databaseValue, "7".databaseValue])
        #expect(try desk.key(of: "booking", texts: ["2026", "8"]) == nil)
        #expect(try desk.key(of: "account", texts: ["a"]) == ["a".databaseValue])
    }

    @Test("a value that a person types is a number where devices wrote numbers")
    func typedValues() throws {
        try desk.execute("UPDATE booking SET text = 1")
        try lap.execute("UPDATE booking SET text = 2")
        try meet()
        try desk.decide(try #require(try desk.conflicts().first), text: "3")
        #expect(try desk.text("SELECT typeof(text), text FROM booking") == "integer|3")
        try meet()
        #expect(try lap.conflicts().isEmpty && lap.text("SELECT text FROM booking") == "3")
    }

    @Test("rows of a table that the log has are shown once this device's program makes the table")
    func lateTable() throws {
        let table = UbiquitousTable("tag")
        let schema = "\(Self.schema) CREATE TABLE IF NOT EXISTS tag(id TEXT PRIMARY KEY NOT NULL, name);"
        try desk.close()
        let newer = try folder.open("desk", Self.tables + [table], device: 1, version: 2, schema)
        try newer.execute("INSERT INTO tag VALUES ('t', 'food')")
        try newer.publish(to: MemoryRecords(cloud: cloud, device: newer.device))
        cloud.deliver()
        try lap.importFiles(from: MemoryRecords(cloud: cloud))
        try lap.close()
        let updated = try folder.open("lap", Self.tables + [table], device: 2, version: 2, schema)
        #expect(try updated.text("SELECT name FROM tag") == "food")
    }

    @Test("a probe counts what waits, as the database does, and changes nothing")
    func probe() throws {
        let path = folder.file("desk")
        #expect(try SharingProbe(path: path).pending == 0)
        try folder.foreign("desk", "UPDATE account SET name = 'x'")
        var probe = try SharingProbe(path: path)
        #expect(probe.pending == 1 && probe.isUnpublished && probe.sharedTables == ["account", "booking"])
        #expect(probe.identifier == DataFolder.identifier && probe.devices == ["desk", "lap"])
        try desk.publish(to: MemoryRecords(cloud: cloud, device: desk.device))
        probe = try SharingProbe(path: path)
        #expect(probe.pending == 1 && !probe.isUnpublished)
        try meet()
        #expect(try SharingProbe(path: path).pending == 0)
    }

    @Test("failures say what happened and what to do, and whether a retry makes sense")
    func failures() {
        let cases: [(any Error, SharingFailure.Retry)] = [
            (DatabaseError(resultCode: .SQLITE_BUSY), .later), (DatabaseError(resultCode: .SQLITE_FULL), .later),
            (DatabaseError(resultCode: .SQLITE_CORRUPT), .afterChange),
            (DatabaseError(resultCode: .SQLITE_NOTADB), .afterChange),
            (RecordFileError.tooNew(format: 9, known: 1), .afterChange), (RecordFileError.damaged("x"), .afterChange),
            (UbiquitousDatabaseError.newerLayout(path: "/p", found: 9), .afterChange),
            (CocoaError(.fileWriteOutOfSpace), .later), (SharedSchemaError.tooNew(2), .afterChange),
        ]
        for (error, retry) in cases {
            let failure = SharingFailure(error)
            #expect(failure.retry == retry, "\(error)")
            #expect(!failure.message.isEmpty && !failure.message.hasSuffix("."), "\(failure)")
            #expect(failure.advice.hasSuffix("."), "\(failure)")
        }
    }
}
