import CLinux
import CloudModel
import Foundation
import GRDB
import Records
import Testing

@testable import UbiquityData

@Suite("Publishing transactions")
struct PublishTests {
    private static let tables = [UbiquitousTable("note")]
    private static let schema = "CREATE TABLE IF NOT EXISTS note(id TEXT PRIMARY KEY NOT NULL, text)"

    private let folder: DataFolder
    private let cloud = MemoryCloud()

    init() throws { folder = try DataFolder() }

    private func open() throws -> UbiquitousDatabase { try folder.open("desk", Self.tables, Self.schema) }

    private func records(_ death: MemoryRecords.Death? = nil) -> MemoryRecords {
        MemoryRecords(cloud: cloud, device: DeviceID(1), death: death)
    }

    @Test("files are numbered without gaps, and a call without new transactions makes none")
    func numbers() throws {
        let database = try open()
        for text in ["a", "b", "c"] {
            try database.execute("INSERT INTO note VALUES ('\(text)', 1)")
            #expect(try database.publish(to: records()) == 1)
            #expect(try database.publish(to: records()) == 0)
        }
        cloud.deliver()
        #expect(cloud.log.map(\.number) == [1, 2, 3])
    }

    @Test("a device that dies at any step writes each file once, with the same bytes, and loses no transaction")
    func deaths() throws {
        var database = try open()
        for (number, death) in [MemoryRecords.Death.beforeWriting, .afterWriting].enumerated() {
            try database.execute("INSERT INTO note VALUES ('\(number)', 1)")
            #expect(throws: MemoryRecords.Death.self) { try database.publish(to: records(death)) }
            try database.close()
            database = try open()
            // Commits made meanwhile go into the next file.
            try database.execute("INSERT INTO note VALUES ('\(number) later', 1)")
            try database.publish(to: records())
        }
        try database.execute("INSERT INTO note VALUES ('between', 1)")
        _ = try database.prepareFiles()
        try database.close()
        database = try open()
        try database.publish(to: records())
        cloud.deliver()
        #expect(cloud.log.map(\.number) == [1, 2, 3, 4, 5])
        var model = Dump()
        for transaction in try cloud.transactions { transaction.replay(on: &model) }
        #expect(try model == database.dump(Self.tables))
    }

    @Test("rows that were there before are sent in transactions of a thousand, parents before their children")
    func seeds() throws {
        let queue = try DatabaseQueue(path: folder.file("seeded"))
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE child(id TEXT PRIMARY KEY NOT NULL, note TEXT REFERENCES note);
                    \(Self.schema);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2500)
                    INSERT INTO note SELECT 'note ' || i, i FROM n;
                    INSERT INTO child VALUES ('a', 'note 2500');
                    """)
        }
        try queue.close()
        let tables = [UbiquitousTable("child"), UbiquitousTable("note")]
        let database = try folder.open("seeded", tables, "SELECT 1")
        try database.publish(to: records())
        cloud.deliver()
        let transactions = try cloud.transactions
        #expect(transactions.map(\.changes.count) == [0, 1_000, 1_000, 500, 1])
        #expect(transactions[0].rules.map(\.table.description) == ["child", "note"])
    }

    @Test("a copy of the database that writes a file of the same number is refused, and loses nothing")
    func copy() throws {
        let database = try open()
        try database.publish(to: records())
        try database.close()
        try folder.foreign("desk", "PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: folder.file("desk"), toPath: folder.file("copy"))
        let copy = try folder.open("copy", Self.tables, Self.schema)
        try copy.execute("INSERT INTO note VALUES ('b', 2)")
        let original = try open()
        try original.execute("INSERT INTO note VALUES ('a', 1)")
        try original.publish(to: records())
        #expect(throws: UbiquitousDatabaseError.numberTaken(file: "2")) { try copy.publish(to: records()) }
        cloud.deliver()
        #expect(throws: UbiquitousDatabaseError.self) { try copy.importFiles(from: records()) }
        #expect(try copy.text("SELECT group_concat(id) FROM note") == "b")
    }

    @Test("in a folder each device writes below its own name; a file without a version is not in the log yet")
    func files() throws {
        let path = "\(folder.path)/Transactions"
        let store = try #require(ItemID(DataFolder.identifier))
        func records(_ device: UInt64, _ versions: [String: UInt64]) -> RecordFolder {
            RecordFolder(path: path, store: store, device: DeviceID(device)) { file in
                versions.first { file.hasSuffix($0.key) }.map { VersionID(sequence: LogSequence($0.value), index: 0) }
            }
        }
        #expect(try records(1, [:]).files(after: [:]).isEmpty)
        try records(1, [:]).write([1], number: 1)
        try records(1, [:]).write([1], number: 1)
        try records(2, [:]).write([2], number: 7)
        #expect(throws: UbiquitousDatabaseError.self) { try records(1, [:]).write([3], number: 1) }
        #expect(try records(1, [:]).files(after: [:]).isEmpty)
        let versions: [String: UInt64] = ["/0000000000000001/000000001.rows": 5, "/0000000000000002/000000007.rows": 4]
        let found = try records(1, versions).files(after: [:]).sorted()
        #expect(found.map(\.device) == [DeviceID(2), DeviceID(1)])
        #expect(try records(1, versions).read(found[0]) == [2])
        #expect(try records(1, versions).files(after: [DeviceID(2): 7]).map(\.device) == [DeviceID(1)])
    }

    @Test("processes that write one file at the same time do not disturb one another, and nothing is left over")
    func concurrentWriters() async throws {
        let store = try #require(ItemID(DataFolder.identifier))
        let records = RecordFolder(path: folder.path, store: store, device: DeviceID(1)) { _ in nil }
        let leftover = "\(folder.path)/\(store)/\(DeviceID(1))/000000001.rows.0.tmp"
        try records.write([1], number: 99)
        try Data([7]).write(to: URL(filePath: leftover))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 1...20 as ClosedRange<UInt64> {
                        try records.write([UInt8](repeating: UInt8(number), count: 50_000), number: number)
                    }
                }
            }
            try await group.waitForAll()
        }
        let own = URL(filePath: leftover).deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: own.path)
        #expect(names.count == 21, "\(names)")
        for number in 1...20 {
            let name = "0000000\(number < 10 ? "0" : "")\(number).rows"
            #expect(
                try Array(Data(contentsOf: own.appending(path: name))) == Array(repeating: UInt8(number), count: 50_000)
            )
        }
    }

    @Test("through a folder a device takes over what the log has, by the versions that the mount shows")
    func versions() throws {
        let (desk, lap) = (try open(), try folder.open("lap", Self.tables, device: 2, Self.schema))
        try desk.execute("INSERT INTO note VALUES ('a', 1)")
        let shared = URL(filePath: "\(folder.path)/Transactions")
        #expect(try desk.publish(to: shared) == 1)
        #expect(try lap.importChanges(from: shared).isEmpty)
        // As a mount does when the file is in the log.
        let file = "\(shared.path)/\(DataFolder.identifier)/0000000000000001/000000001.rows"
        #expect(setxattr(file, "user.ubiquity.version", "7.0", 3, 0) == 0)
        #expect(try lap.importChanges(from: shared).rows.map(\.kind) == [.inserted])
        #expect(try desk.importChanges(from: shared).files == 1)
        #expect(try desk.publish(to: shared) == 0)
    }
}
