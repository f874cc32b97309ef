import Basics
import CloudModel
import GRDB
import Records
import TestSupport
import Testing

@testable import UbiquityData

/// Databases after the cloud was put back to an earlier state. Each import stands for a device after a reset and a
/// complete read of the log.
@Suite("Databases after the cloud went back")
struct RestartTests {
    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let clock = TickingTime()
    private let desk: UbiquitousDatabase
    private let lap: UbiquitousDatabase

    init() throws {
        folder = try DataFolder()
        desk = try folder.open("desk", BookTables.all, device: 1, BookTables.schema, clock: clock)
        lap = try folder.open("lap", BookTables.all, device: 2, BookTables.schema, clock: clock)
        try desk.execute("INSERT INTO account VALUES ('a', 'cash', 10), ('b', 'bank', 0)")
        try meet(desk, lap)
    }

    private func records(_ database: UbiquitousDatabase, _ death: MemoryRecords.Death? = nil) throws -> MemoryRecords {
        MemoryRecords(cloud: cloud, device: try database.device, death: death)
    }

    private func publish(_ database: UbiquitousDatabase) throws {
        try database.publish(to: records(database))
        cloud.deliver()
    }

    @discardableResult
    private func read(_ database: UbiquitousDatabase) throws -> UbiquitousChanges {
        try database.importFiles(from: records(database))
    }

    private func meet(_ databases: UbiquitousDatabase...) throws {
        for _ in 0..<3 {
            for database in databases { try publish(database) }
            for database in databases { try read(database) }
        }
        for database in databases.dropFirst() {
            #expect(try database.dump(BookTables.all) == databases[0].dump(BookTables.all))
        }
        for database in databases {
            #expect(try database.text("SELECT count(*) FROM _ubq_pending") == "0")
            #expect(try database.text("SELECT count(*) FROM _ubq_kept") == "0")
            #expect(try database.text("PRAGMA integrity_check") == "ok")
        }
    }

    /// Work on both devices, already in the log and known to both, when the cloud is put back to before it.
    private func workAndPutBack() throws {
        let copy = cloud.entries.count
        try desk.execute(
            "INSERT INTO account VALUES ('d', 'desk', 1)", "UPDATE account SET balance = balance + 2 WHERE id = 'a'")
        try lap.execute(
            "INSERT INTO account VALUES ('l', 'lap', 1)", "UPDATE account SET balance = balance + 3 WHERE id = 'a'",
            "DELETE FROM account WHERE id = 'b'")
        try meet(desk, lap)
        cloud.putBack(to: copy)
    }

    private static let restored = "a cash 15, d desk 1, l lap 1"

    private func accounts(_ database: UbiquitousDatabase) throws -> String? {
        try database.text(
            "SELECT group_concat(id || ' ' || name || ' ' || balance, ', ') FROM (SELECT * FROM account ORDER BY id)")
    }

    @Test("rows, edits and deletions that the cloud lost return, whichever device is reset first, also weeks apart")
    func returned() throws {
        for (first, second) in [(desk, lap), (lap, desk)] {
            try workAndPutBack()
            try read(first)
            #expect(try accounts(first) == Self.restored, "nothing is shown that was not there")
            try publish(first)
            try read(first)
            try publish(second)
            #expect(try second.text("SELECT count(*) FROM _ubq_kept") != "0", "nothing is published before it is known")
            try meet(first, second)
            #expect(try accounts(desk) == Self.restored)
            #expect(try desk.lostValues().isEmpty && lap.lostValues().isEmpty)
            try desk.execute(
                "DELETE FROM account WHERE id IN ('d', 'l')", "UPDATE account SET balance = 10 WHERE id = 'a'")
            try desk.execute("INSERT INTO account VALUES ('b', 'bank', 0)")
            try meet(desk, lap)
        }
    }

    @Test("devices that are reset at the same time send the same, and nothing is counted twice or lost")
    func atOnce() throws {
        try workAndPutBack()
        try read(desk)
        try read(lap)
        try meet(desk, lap)
        #expect(try accounts(desk) == Self.restored)
        #expect(try desk.lostValues().isEmpty && lap.lostValues().isEmpty)
    }

    @Test("what was committed before the reset and reached no cloud is sent as it is: counters are summed")
    func diverged() throws {
        try workAndPutBack()
        try desk.execute(
            "UPDATE account SET balance = balance + 20 WHERE id = 'a'",
            "UPDATE account SET name = 'desk!' WHERE id = 'd'",
            "INSERT INTO account VALUES ('d2', 'd2', 0)")
        try lap.execute(
            "UPDATE account SET balance = balance + 30 WHERE id = 'a'", "INSERT INTO account VALUES ('l2', 'l2', 0)",
            "DELETE FROM account WHERE id = 'l'")
        try read(desk)
        try read(lap)
        try meet(desk, lap)
        #expect(try accounts(desk) == "a cash 65, d desk! 1, d2 d2 0, l2 l2 0")
    }

    @Test("an edit of the other device in the new log is kept, and what it replaces is listed")
    func weeks() throws {
        try workAndPutBack()
        try lap.execute(
            "UPDATE account SET name = 'offline' WHERE id = 'd'", "INSERT INTO account VALUES ('l2', 'l2', 0)")
        try read(desk)
        try publish(desk)
        try desk.execute(
            "UPDATE account SET name = 'petty' WHERE id = 'a'", "UPDATE account SET name = 'later' WHERE id = 'd'")
        try publish(desk)
        try read(desk)
        try meet(desk, lap)
        #expect(try accounts(desk) == "a petty 15, d offline 1, l lap 1, l2 l2 0")
        #expect(try desk.lostValues().map(\.value).contains("later".databaseValue))
    }

    @Test("rows of a device that never returns are sent by the one that has them")
    func gone() throws {
        try workAndPutBack()
        try read(lap)
        try publish(lap)
        let third = try folder.open("third", BookTables.all, device: 3, BookTables.schema, clock: clock)
        try meet(lap, third)
        #expect(try accounts(third) == Self.restored)
    }

    @Test("a file whose predecessor the copy lacks is sent under the new id, and no device waits for the predecessor")
    func overtaken() throws {
        for id in ["d1", "d2"] {
            try desk.execute("INSERT INTO account VALUES ('\(id)', '\(id)', 0)")
            try desk.publish(to: records(desk))
        }
        cloud.deliverLast()
        let copy = cloud.entries.count
        cloud.deliver()
        try read(lap)
        try read(desk)
        cloud.putBack(to: copy)
        try meet(desk, lap)
        #expect(try accounts(lap) == "a cash 10, b bank 0, d1 d1 0, d2 d2 0")
        #expect(try lap.hasFolded(records(lap)))
    }

    @Test("a database that was shared after the copy returns as a whole, and its rules with it")
    func sharedLater() throws {
        try workAndPutBack()
        cloud.putBack(to: 0)
        try read(desk)
        try read(lap)
        try meet(desk, lap)
        #expect(try accounts(desk) == Self.restored)
        let third = try folder.open("third", BookTables.all, device: 3, BookTables.schema, clock: clock)
        try third.execute("INSERT INTO tag VALUES ('t', 'food')")
        try desk.execute("INSERT INTO tag VALUES ('d', 'food')")
        try meet(desk, lap, third)
        #expect(try third.text("SELECT count(*) FROM tag") == "1", "the natural key is known")
    }

    @Test("a removed folder is no cloud that went back, while the log has what was folded")
    func removedFolder() throws {
        for file in cloud.files() { cloud.remove(file.file) }
        cloud.deliver()
        let device = try desk.device
        try read(desk)
        #expect(try desk.device == device)
    }

    @Test("a device that dies while it follows the other log goes on, and its tables show what they did")
    func dies() throws {
        try workAndPutBack()
        #expect(throws: MemoryRecords.Death.self) { try desk.importFiles(from: records(desk, .reading)) }
        #expect(try accounts(desk) == Self.restored)
        #expect(throws: UbiquitousDatabaseError.self, "rows that no cloud has") { try desk.stopSharing() }
        try desk.execute("INSERT INTO account VALUES ('m', 'meanwhile', 0)")
        try publish(desk)
        try desk.close()
        let again = try folder.open("desk", BookTables.all, device: 1, BookTables.schema, clock: clock)
        try read(again)
        try read(lap)
        try meet(again, lap)
        #expect(try accounts(again) == Self.restored + ", m meanwhile 0")
    }

    @Test("a log that goes back a second time, and one that is as it was, lose nothing either")
    func twice() throws {
        let whole = cloud.entries.count
        try workAndPutBack()
        try read(desk)
        try publish(desk)
        cloud.putBack(to: whole)
        #expect(throws: MemoryRecords.Death.self) { try lap.importFiles(from: records(lap, .reading)) }
        try read(desk)
        try read(lap)
        try meet(desk, lap)
        #expect(try accounts(desk) == Self.restored)
        let device = try desk.device
        try read(desk)
        #expect(try desk.device == device, "the log has all that was folded")
    }

    @Test("a written file that the mount lost before the log had it is written again")
    func lostFile() throws {
        try desk.execute("INSERT INTO account VALUES ('d', 'desk', 1)")
        try desk.publish(to: records(desk))
        cloud.putBack(to: cloud.entries.count)
        try meet(desk, lap)
        #expect(try accounts(lap) == "a cash 10, b bank 0, d desk 1")
    }

    @Test("after random histories and returns of the cloud all devices have the same rows, and each inserted row")
    func histories() throws {
        for seed in 0..<12 as Range<UInt64> {
            var history = try RestartHistory(seed: seed)
            for _ in 0..<40 { try history.step() }
            try history.putBack()
            for _ in 0..<20 { try history.step() }
            if seed % 3 == 0 { try history.putBack() }
            try history.meet()
            let dumps = try history.devices.map { try $0.dump(BookTables.all) }
            for dump in dumps { #expect(dump == dumps[0], "seed \(seed)") }
            for device in history.devices {
                #expect(try history.lacking(device).isEmpty, "seed \(seed)")
                #expect(try device.text("SELECT count(*) FROM _ubq_pending") == "0", "seed \(seed)")
                #expect(try device.text("PRAGMA integrity_check") == "ok", "seed \(seed)")
                #expect(try device.text("PRAGMA foreign_key_check") == nil, "seed \(seed)")
                try device.close()
            }
        }
    }
}

/// Three devices that insert and edit rows, and a cloud that goes back.
private struct RestartHistory {
    private var random: SeededGenerator
    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let clock = TickingTime()
    private(set) var devices: [UbiquitousDatabase] = []
    private var inserted: [String] = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        folder = try DataFolder()
        var policy = BaselinePolicy()
        (policy.files, policy.minimumBytes, policy.partBytes) = (4, 600, 300)
        for number in 1...3 as ClosedRange<UInt64> {
            devices.append(
                try folder.open(
                    "device \(number)", BookTables.all, device: number, BookTables.schema, clock: clock, policy: policy)
            )
        }
    }

    private func records(_ number: Int) throws -> MemoryRecords {
        MemoryRecords(cloud: cloud, device: try devices[number].device)
    }

    mutating func step() throws {
        let number = random.number(0..<3)
        let device = devices[number]
        switch random.number(0..<10) {
        case 0..<3:
            inserted.append("r\(inserted.count)")
            try device.execute(
                "INSERT INTO account VALUES ('r\(inserted.count - 1)', 'n\(inserted.count)', 1)",
                "INSERT INTO tag VALUES ('t\(inserted.count)', 'tag \(random.number(0..<4))')")
        case 3:
            let id = random.pick(inserted) ?? ""
            try device.execute(
                "UPDATE account SET balance = balance + 1 WHERE id = '\(id)'",
                "INSERT OR IGNORE INTO booking SELECT 'b' || id, id, (SELECT min(id) FROM tag) FROM account WHERE id = '\(id)'"
            )
        case 4, 5: try device.publish(to: records(number))
        case 6, 7: cloud.deliver(&random)
        default: try device.importFiles(from: records(number))
        }
    }

    mutating func putBack() throws {
        cloud.putBack(to: random.number(0..<cloud.entries.count + 1))
    }

    mutating func meet() throws {
        for _ in 0..<5 {
            for number in devices.indices { try devices[number].publish(to: records(number)) }
            while !cloud.isQuiet { cloud.deliver(&random) }
            for number in devices.indices { try devices[number].importFiles(from: records(number)) }
        }
    }

    /// Committed but missing rows.
    func lacking(_ device: UbiquitousDatabase) throws -> [String] {
        try inserted.filter { try device.text("SELECT 1 FROM account WHERE id = '\($0)'") == nil }
    }
}
