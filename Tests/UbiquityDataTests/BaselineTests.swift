import CLinux
import CloudModel
import Foundation
import GRDB
import Records
import Synchronization
import Testing

@testable import UbiquityData

@Suite("Baselines")
struct BaselineTests {
    private let folder: DataFolder
    private let cloud = MemoryCloud()
    private let clock = ManualTime()
    private let desk: UbiquitousDatabase
    private let lap: UbiquitousDatabase

    init() throws {
        folder = try DataFolder()
        desk = try Self.open("desk", device: 1, folder, clock)
        lap = try Self.open("lap", device: 2, folder, clock)
    }

    private static func open(
        _ name: String, device: UInt64, _ folder: DataFolder, _ clock: ManualTime
    ) throws -> UbiquitousDatabase {
        var policy = BaselinePolicy()
        (policy.files, policy.partBytes) = (5, 300)
        return try folder.open(name, BookTables.all, device: device, BookTables.schema, clock: clock, policy: policy)
    }

    private func open(_ name: String, device: UInt64) throws -> UbiquitousDatabase {
        try Self.open(name, device: device, folder, clock)
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

    /// Writes enough transactions on a device for a due baseline, and lets all of them be in the log.
    private func work(_ database: UbiquitousDatabase, _ start: Int = 0) throws {
        for number in start..<start + 6 {
            try database.execute(
                "INSERT INTO account VALUES ('a\(number)', 'name \(number)', \(number))",
                "INSERT INTO tag VALUES ('t\(number)', 'tag')",
                "INSERT INTO booking VALUES ('b\(number)', 'a\(number)', (SELECT min(id) FROM tag))")
            try publish(database)
            try read(database)
        }
        try publish(database)
        try read(database)
    }

    private func kinds() -> [MemoryCloud.File.Kind] { cloud.files().map(\.file.kind) }

    @Test(
        "a device that joins takes the baseline, folds what follows, and has the same rows, lost values and rows aside")
    func join() throws {
        try desk.execute("INSERT INTO account(id, name) VALUES ('x', 'one')")
        try publish(desk)
        try lap.execute("INSERT INTO account(id, name) VALUES ('y', 'one'), ('z', 'two')")
        try publish(lap)
        try read(desk)
        try read(lap)
        try desk.execute("UPDATE account SET name = 'desk' WHERE id = 'z'")
        try lap.execute("UPDATE account SET name = 'lap' WHERE id = 'z'")
        try publish(desk)
        try publish(lap)
        try read(desk)
        try work(desk)
        #expect(kinds().contains(.head) && kinds().contains(.part(1)))
        try desk.execute("DELETE FROM account WHERE id = 'a1'")
        try publish(desk)
        try read(desk)
        let third = try open("third", device: 3)
        let reports = Reports()
        let changes = try third.importFiles(from: records(third)) { reports.add($0) }
        #expect(changes.baseline == UbiquitousChanges.Baseline(pending: 1), "the transaction that declares its rules")
        #expect(changes.files < cloud.log.count)
        #expect(try third.dump(BookTables.all) == desk.dump(BookTables.all))
        #expect(try third.lostValues().map(\.value) == desk.lostValues().map(\.value))
        #expect(try third.lostValues().map(\.value).contains("desk".databaseValue))
        #expect(try third.asideRows().map(\.key) == [["y".databaseValue]])
        #expect(try third.text("PRAGMA integrity_check") == "ok")
        #expect(try third.text("PRAGMA foreign_key_check") == nil)
        let seen = reports.all
        #expect(seen.last?.isDone == true && seen.last?.percent == 100 && seen.dropLast().allSatisfy { !$0.isDone })
        #expect(seen.map(\.completed) == seen.map(\.completed).sorted() && seen.count > 4)
    }

    @Test("files below a baseline are removed once all devices have written knowing it, by the device that wrote it")
    func prune() throws {
        try lap.execute("INSERT INTO tag VALUES ('l', 'lap')")
        try publish(lap)
        try work(desk)
        let all = cloud.files().count { $0.file.kind == .transactions }
        try publish(desk)
        #expect(cloud.files().count { $0.file.kind == .transactions } == all, "the other device has not passed it")
        try read(lap)
        try lap.execute("INSERT INTO tag VALUES ('m', 'later')")
        try publish(lap)
        try read(desk)
        try publish(desk)
        #expect(cloud.files().count { $0.file.kind == .transactions } < all)
        try read(lap)
        let third = try open("third", device: 3)
        try read(third)
        #expect(try third.dump(BookTables.all) == lap.dump(BookTables.all))
        #expect(try desk.dump(BookTables.all) == lap.dump(BookTables.all))
        // The next baseline replaces the first.
        try work(desk, 20)
        try read(lap)
        try lap.execute("INSERT INTO tag VALUES ('n', 'last')")
        try publish(lap)
        try read(desk)
        try publish(desk)
        #expect(kinds().count { $0 == .head } == 1)
    }

    @Test(
        "a device that was away for more than 60 days takes the baseline, and what it had pending is edited behind it")
    func away() throws {
        try desk.execute("INSERT INTO account VALUES ('x', 'shared', 1)")
        try publish(desk)
        try read(lap)
        try publish(lap)
        try lap.execute("UPDATE account SET name = 'lap', balance = balance + 5 WHERE id = 'x'")
        try lap.execute("INSERT INTO account VALUES ('y', 'offline', 2)")
        // One of them is in an unsent file.
        _ = try lap.prepareFiles()
        try lap.execute("INSERT INTO account VALUES ('z', 'offline too', 3)")
        try desk.execute("UPDATE account SET name = 'desk', balance = balance + 10 WHERE id = 'x'")
        try work(desk)
        clock.advance(days: 61)
        try publish(desk)
        #expect(!cloud.files().contains { $0.file.kind == .transactions && $0.file.number == 2 })
        let changes = try read(lap)
        #expect(changes.baseline == UbiquitousChanges.Baseline(pending: 3))
        #expect(try lap.text("SELECT name, balance FROM account WHERE id = 'x'") == "lap|16")
        #expect(try lap.text("SELECT count(*) FROM account WHERE id IN ('y', 'z')") == "2")
        try publish(lap)
        try read(desk)
        try read(lap)
        #expect(try desk.dump(BookTables.all) == lap.dump(BookTables.all))
        #expect(try desk.lostValues().map(\.value) == ["desk".databaseValue])
        #expect(try lap.text("SELECT count(*) FROM _ubq_pending") == "0")
    }

    @Test("a device that dies at each step of writing, taking or removing goes on, and no file has other bytes")
    func deaths() throws {
        try work(lap)
        var device = try open("third", device: 3)
        #expect(throws: MemoryRecords.Death.self) { try device.importFiles(from: records(device, .readingPart)) }
        try device.close()
        device = try open("third", device: 3)
        #expect(try read(device).baseline != nil)
        #expect(try device.dump(BookTables.all) == lap.dump(BookTables.all))
        for death in [MemoryRecords.Death.beforeBaseline, .afterPart, .afterPart, .removing] {
            try work(device, 100 + 10 * cloud.entries.count)
            clock.advance(days: 61)
            // A death without a baseline to write does not happen.
            _ = try? device.publish(to: records(device, death))
            try device.close()
            device = try open("third", device: 3)
            try publish(device)
            try read(device)
        }
        try read(lap)
        let fourth = try open("fourth", device: 4)
        try read(fourth)
        #expect(try fourth.dump(BookTables.all) == device.dump(BookTables.all))
        #expect(try lap.dump(BookTables.all) == device.dump(BookTables.all))
    }

    @Test("a copy of a database that wrote other files is noticed when they were removed")
    func copy() throws {
        try desk.execute("INSERT INTO tag VALUES ('x', 'first')")
        try publish(desk)
        try desk.close()
        try folder.foreign("desk", "PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: folder.file("desk"), toPath: folder.file("copy"))
        let original = try open("desk", device: 1)
        try work(original)
        clock.advance(days: 61)
        try publish(original)
        #expect(!cloud.files().contains { $0.file.kind == .transactions && $0.file.number == 2 })
        let copy = try open("copy", device: 1)
        try copy.execute("INSERT INTO tag VALUES ('y', 'other')")
        // Its number is taken in the log, but that file is gone.
        _ = try copy.prepareFiles()
        #expect(throws: UbiquitousDatabaseError.self) { try read(copy) }
        #expect(try copy.text("SELECT name FROM tag WHERE id = 'y'") == "other")
    }

    @Test(
        "a baseline that stands for other files of another device than were received stops the import and changes nothing"
    )
    func otherFiles() throws {
        try desk.close()
        try folder.foreign("desk", "PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: folder.file("desk"), toPath: folder.file("copy"))
        // The current cloud, with a baseline for files of the desk and of a third device.
        let third = try open("third", device: 3)
        try third.execute("INSERT INTO tag VALUES ('z', 'of the third')")
        try publish(third)
        let original = try open("desk", device: 1)
        try read(original)
        try work(original)
        clock.advance(days: 61)
        try publish(original)
        let heads = try cloud.files().filter { $0.file.kind == .head }.map {
            try RecordBaseline(decoding: $0.file.bytes)
        }
        let stood = try #require(heads.last?.files[DeviceID(1)])
        // The cloud before it went back, with different files under the same numbers.
        let lost = MemoryCloud()
        let copy = try folder.open("copy", BookTables.all, device: 1, BookTables.schema, clock: clock)
        for number in 1...stood {
            try copy.execute("INSERT INTO tag VALUES ('lost \(number)', 'lost')")
            try copy.publish(to: MemoryRecords(cloud: lost, device: copy.device))
            lost.deliver()
        }
        try lap.importFiles(from: MemoryRecords(cloud: lost, device: lap.device))
        let before = try lap.dump(BookTables.all)
        #expect(throws: UbiquitousDatabaseError.self) { try read(lap) }
        #expect(try lap.dump(BookTables.all) == before)
    }

    @Test("a baseline of a newer format, and a damaged one, stop the import and change nothing")
    func formats() throws {
        try work(desk)
        let before = try lap.dump(BookTables.all)
        for damage in [ChangedRecords.Damage.newerHead, .head, .part, .newerPart] {
            let source = ChangedRecords(records: MemoryRecords(cloud: cloud), damage: damage)
            #expect(throws: RecordFileError.self, "\(damage)") { try lap.importFiles(from: source) }
            #expect(try lap.dump(BookTables.all) == before)
        }
        try read(lap)
        #expect(try lap.dump(BookTables.all) == desk.dump(BookTables.all))
    }

    @Test("through a folder a device writes a baseline, another takes it, and old files are removed")
    func files() throws {
        let shared = URL(filePath: "\(folder.path)/Transactions")
        for number in 0..<5 {
            try desk.execute("INSERT INTO tag VALUES ('\(number)', 'tag \(number)')")
            try desk.publish(to: shared)
            try stamp(shared)
            try desk.importChanges(from: shared)
        }
        try desk.publish(to: shared)
        let own = "\(shared.path)/\(DataFolder.identifier)/0000000000000001"
        #expect(FileManager.default.fileExists(atPath: "\(own)/000000001.baseline"))
        #expect(FileManager.default.fileExists(atPath: "\(own)/000000001.000000000.part"))
        #expect(try desk.importChanges(from: shared).isEmpty)
        try desk.publish(to: shared)
        #expect(FileManager.default.fileExists(atPath: "\(own)/000000001.rows"), "the baseline is not in the log yet")
        try stamp(shared)
        try desk.importChanges(from: shared)
        try desk.publish(to: shared)
        #expect(!FileManager.default.fileExists(atPath: "\(own)/000000001.rows"))
        let changes = try lap.importChanges(from: shared)
        #expect(changes.baseline != nil)
        #expect(try lap.dump(BookTables.all) == desk.dump(BookTables.all))
    }

    /// Gives versions to files without them, as a mount does when they are in the log.
    private func stamp(_ shared: URL) throws {
        let own = "\(shared.path)/\(DataFolder.identifier)/0000000000000001"
        for name in try FileManager.default.contentsOfDirectory(atPath: own).sorted() {
            let version = "\(name.hasSuffix(".rows") ? Int(name.prefix(9)) ?? 0 : 50).0"
            #expect(setxattr("\(own)/\(name)", "user.ubiquity.version", version, version.utf8.count, 0) == 0)
        }
    }
}

private final class Reports: Sendable {
    private let reports = Mutex<[UbiquitousImportProgress]>([])
    var all: [UbiquitousImportProgress] { reports.withLock { $0 } }
    func add(_ report: UbiquitousImportProgress) { reports.withLock { $0.append(report) } }
}

/// A log with a baseline altered since its device wrote it.
private struct ChangedRecords: RecordSource {
    enum Damage { case head, newerHead, part, newerPart }

    let records: MemoryRecords
    let damage: Damage

    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place] { try records.files(after: folded) }
    func read(_ file: RecordFileOrder.Place) throws -> [UInt8] { try records.read(file) }
    func baselines() throws -> [ListedBaseline] { try records.baselines() }

    func read(_ part: Int?, of baseline: RecordBaseline.Name) throws -> [UInt8] {
        var bytes = try records.read(part, of: baseline)
        switch (damage, part) {
        case (.head, nil), (.part, 0): bytes[bytes.count - 1] ^= 1
        case (.newerHead, nil), (.newerPart, 0): bytes[4] += 1
        default: break
        }
        return bytes
    }
}
