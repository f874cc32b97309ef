import CloudModel
import GRDB
import Testing

@testable import UbiquityData

@Suite("The end of sharing")
struct StopTests {
    private static let tables = [UbiquitousTable("account", counters: ["balance"])]
    private static let schema = """
        CREATE TABLE IF NOT EXISTS account(id TEXT PRIMARY KEY NOT NULL, balance INTEGER NOT NULL DEFAULT 0)
        """

    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let database: UbiquitousDatabase

    init() throws {
        folder = try DataFolder()
        database = try folder.open("desk", Self.tables, Self.schema)
        try database.execute("INSERT INTO account VALUES ('a', 5)")
    }

    private func query(_ sql: String) throws -> [String] {
        let queue = try DatabaseQueue(path: folder.file("desk"))
        defer {
            // It has only read.
            try? queue.close()
        }
        return try queue.read { try String.fetchAll($0, sql: sql) }
    }

    @Test("a database that is no longer shared has its rows, nothing of the library, and can be shared again")
    func stopped() throws {
        try database.publish(to: MemoryRecords(cloud: cloud, device: database.device))
        try database.stopSharing()
        #expect(try query("SELECT name FROM sqlite_master WHERE sql LIKE '%\\_ubq\\_%' ESCAPE '\\'") == [])
        #expect(try query("SELECT id || balance FROM account") == ["a5"])
        try folder.foreign("desk", "UPDATE account SET balance = 6")
        let again = try folder.open("desk", Self.tables, device: 2, Self.schema)
        #expect(try again.prepareFiles() == [1])
        #expect(try again.text("SELECT id, balance FROM account") == "a|6")
    }

    @Test("sharing does not end while transactions are unpublished, unless they are discarded")
    func unpublished() throws {
        let refusal = UbiquitousDatabaseError.unpublished(path: database.path)
        #expect(throws: refusal) { try database.stopSharing() }
        _ = try database.prepareFiles()
        #expect(throws: refusal, "the file is in the database only") { try database.stopSharing() }
        try database.publish(to: MemoryRecords(cloud: cloud, device: database.device))
        try folder.foreign("desk", "UPDATE account SET balance = 6")
        #expect(throws: refusal, "another program has written") { try database.stopSharing() }
        try database.stopSharing(discardsUnpublished: true)
        #expect(try query("SELECT id || balance FROM account") == ["a6"])
    }

    @Test("sharing does not end while a trigger of the program reads the library's tables")
    func used() throws {
        try folder.foreign(
            "desk",
            """
            CREATE TRIGGER own AFTER UPDATE ON account WHEN (SELECT capturing FROM _ubq_now) BEGIN
            UPDATE account SET balance = 0; END
            """)
        #expect(throws: UbiquitousDatabaseError.stillUsed(by: "trigger own")) {
            try database.stopSharing(discardsUnpublished: true)
        }
        try database.execute("UPDATE account SET balance = 7")
        #expect(try database.prepareFiles() == [1])
    }
}
