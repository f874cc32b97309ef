import Foundation
import GRDB
import Records
import TestSupport
import Testing
import UbiquityData

@testable import SharedDatabases

@Suite("Rounds of shared files")
struct RoundTests {
    private let folder: SharedFolder

    init() throws { folder = try SharedFolder() }

    /// Returns two devices with a shared database, in step.
    private func pair(_ declarations: SharedSchema.Table...) throws -> (SharingDevice, SharingDevice) {
        let (one, two) = (try SharingDevice("one", in: folder), try SharingDevice("two", in: folder))
        try folder.program("one", SharedFolder.schema, "INSERT INTO account VALUES ('a', 'cash', 1)")
        try one.share(folder, SharedSchema.Table("account", counters: ["balance"]))
        try one.step()
        try folder.deliver()
        try two.attach(folder)
        try settle(one, two)
        return (one, two)
    }

    private func settle(_ one: SharingDevice, _ two: SharingDevice) throws {
        for _ in 0..<2 {
            try one.step()
            try two.step()
            try folder.deliver()
        }
        try one.step()
        try two.step()
    }

    @Test("a device without a file gets the tables, their indexes and the rows")
    func attach() throws {
        _ = try pair()
        #expect(try folder.rows("two") == ["a|cash|1"])
        #expect(
            try folder.rows("two", "SELECT name FROM sqlite_master WHERE name = 'booking_account'") == [
                "booking_account"
            ])
    }

    @Test("what programs write on two devices at the same time is equal on both, and no row is lost")
    func merge() throws {
        let (one, two) = try pair()
        var random = SeededGenerator(seed: 7)
        var count = 1
        for _ in 0..<12 {
            for device in ["one", "two"] where random.number(0..<3) > 0 {
                for _ in 0..<random.number(1..<6) {
                    try folder.program(
                        device, "INSERT INTO account VALUES ('\(device) \(count)', 'new', 0)",
                        "UPDATE account SET balance = balance + 1 WHERE id = 'a'")
                    count += 1
                }
            }
            if random.number(0..<2) == 0 { try one.step() } else { try two.step() }
            if random.number(0..<2) == 0 { try folder.deliver() }
        }
        try settle(one, two)
        let rows = try folder.rows("one")
        #expect(try folder.rows("two") == rows)
        #expect(rows.count == count && rows.first == "a|cash|\(count)")
        for device in ["one", "two"] { #expect(try folder.rows(device, "PRAGMA integrity_check") == ["ok"]) }
    }

    @Test("a round without changes writes nothing, so that its own events do not lead to another")
    func rest() throws {
        let (one, _) = try pair()
        let watch = FileWatch(folder.file("one"))
        watch.arm()
        try #require(watch.isArmed)
        let report = try one.step()
        #expect(!report.hasPublished && !report.hasImported)
        #expect(!watch.drain())
        try folder.program("one", "UPDATE account SET name = 'x'")
        #expect(watch.drain(), "the change of a program is not noticed")
    }

    @Test("a process that dies before a file has its triggers continues at the next round")
    func unfinished() throws {
        let one = try SharingDevice("one", in: folder)
        try folder.program("one", SharedFolder.schema)
        try one.share(folder)
        #expect(try SharingProbe(path: folder.file("one")).identifier == nil)
        try one.step()
        #expect(try SharingProbe(path: folder.file("one")).sharedTables == ["account", "booking"])
        // The attached side, without a file.
        try folder.deliver()
        let two = try SharingDevice("two", in: folder)
        try two.attach(folder)
        try two.step()
        #expect(try SharingProbe(path: folder.file("two")).sharedTables == ["account", "booking"])
    }

    // MARK: Schemas that change

    @Test("a column that a program adds reaches the description, and devices that attach later have it")
    func addedColumn() throws {
        let (one, two) = try pair()
        try folder.program("one", "ALTER TABLE account ADD COLUMN owner TEXT", "UPDATE account SET owner = 'me'")
        try settle(one, two)
        let identifier = try #require(folder.folder.identifiers().first)
        let newest = try #require(folder.folder.schemas(of: identifier).schemas.first)
        #expect(newest.version == 2)
        let three = try SharingDevice("three", in: folder)
        try three.attach(folder)
        try three.step()
        #expect(try folder.rows("three") == ["a|cash|1|me"])
        #expect(try folder.rows("two") == ["a|cash|1"])
        // A program updated later shows all held-back changes.
        try folder.program("two", "ALTER TABLE account ADD COLUMN owner TEXT")
        try two.step()
        #expect(try folder.rows("two") == ["a|cash|1|me"])
    }

    @Test("a table that a program adds is shared, also with a device whose program adds it later")
    func addedTable() throws {
        let (one, two) = try pair()
        let sql = "CREATE TABLE tag(id TEXT PRIMARY KEY NOT NULL, name TEXT)"
        try folder.program("one", sql, "INSERT INTO tag VALUES ('t', 'food')")
        try settle(one, two)
        try folder.program("two", sql)
        try settle(one, two)
        #expect(try folder.rows("two", "SELECT * FROM tag") == ["t|food"])
    }

    @Test("an added table that cannot be shared stays on its device with a note, and the others are shared")
    func unsharable() throws {
        let (one, two) = try pair()
        try folder.program(
            "one", "CREATE TABLE log(id INTEGER PRIMARY KEY, text)", "INSERT INTO account VALUES ('b', 'x', 0)")
        let report = try one.step()
        #expect(report.notes.count == 1 && report.notes.first?.contains("log") == true)
        try settle(one, two)
        #expect(try folder.rows("two").count == 2)
    }

    // MARK: What can be wrong

    @Test("a missing file, another file in its place and one that is no database are reported, and harmed in no way")
    func wrongFiles() throws {
        let (one, two) = try pair()
        let (file, kept) = (folder.file("one"), "\(folder.path)/kept")
        let manager = FileManager.default
        try manager.moveItem(atPath: file, toPath: kept)
        #expect(one.failure() == SharingFailure.of(missing: ()))
        #expect(!manager.fileExists(atPath: file))
        try folder.program("one", SharedFolder.schema, "INSERT INTO account VALUES ('z', 'other', 0)")
        #expect(one.failure()?.retry == .afterChange)
        #expect(try SharingProbe(path: file).identifier == nil)
        try Data(
            "this is no database, but a text that is longer than a header of one hundred bytes, which is what SQLite reads"
                .utf8
        )
        .write(to: URL(filePath: file))
        #expect(one.failure()?.message == "the file is no SQLite database")
        try manager.removeItem(atPath: file)
        try manager.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(one.failure()?.message == "it is no file")
        try manager.removeItem(atPath: file)
        // The shared file again: everything continues.
        try manager.moveItem(atPath: kept, toPath: file)
        try folder.program("one", "INSERT INTO account VALUES ('b', 'back', 0)")
        try settle(one, two)
        #expect(try folder.rows("two") == ["a|cash|1", "b|back|0"])
    }

    @Test("a locked file is tried again, and nothing is lost")
    func locked() throws {
        let (one, two) = try pair()
        try folder.program("one", "INSERT INTO account VALUES ('b', 'x', 0)")
        let program = try DatabaseQueue(path: folder.file("one"))
        try program.inDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO account VALUES ('c', 'y', 0)")
            let failure = one.failure()
            #expect(failure?.retry == .later && failure?.message == "another program has locked the file")
            try db.execute(sql: "COMMIT")
        }
        try program.close()
        try settle(one, two)
        #expect(try folder.rows("two").count == 3)
    }

    @Test("a corrupt file stops with a message")
    func corrupt() throws {
        let (one, _) = try pair()
        let handle = try FileHandle(forUpdating: URL(filePath: folder.file("one")))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 4_000))
        try handle.close()
        let failure = try #require(one.failure())
        #expect(failure.retry == .afterChange && failure.message.contains("corrupt"), "\(failure)")
    }

    @Test("a file of transactions of a newer format stops imports with a message, and publishing goes on")
    func newerFormat() throws {
        let (one, two) = try pair()
        try folder.program("one", "INSERT INTO account VALUES ('b', 'x', 0)")
        try one.step()
        let name = try #require(
            FileManager.default.subpathsOfDirectory(atPath: folder.mount).filter { $0.hasSuffix(".rows") }.sorted()
                .last { !SharedFolder.isInLog("\(folder.mount)/\($0)") })
        let file = URL(filePath: "\(folder.mount)/\(name)")
        var bytes = try Data(contentsOf: file)
        let right = bytes
        bytes[4] = 200
        try bytes.write(to: file)
        try folder.deliver()
        try folder.program("two", "INSERT INTO account VALUES ('c', 'y', 0)")
        let failure = try #require(two.failure())
        #expect(failure.retry == .afterChange && failure.message.contains("newer version"), "\(failure)")
        #expect(try SharingProbe(path: folder.file("two")).isUnpublished == false)
        try right.write(to: file)
        try folder.deliver()
        try settle(one, two)
        #expect(try folder.rows("one") == folder.rows("two"))
        #expect(try folder.rows("one").count == 3)
    }

    @Test("a file that a newer release used stops with a message, and nothing in it is changed")
    func newerLayout() throws {
        let (one, _) = try pair()
        try folder.program("one", "UPDATE _ubq_state SET layout = 1000", "UPDATE account SET name = 'x'")
        let failure = one.failure()
        #expect(failure?.retry == .afterChange && failure?.advice.contains("Install a newer version") == true)
        #expect(try folder.rows("one", "SELECT layout FROM _ubq_state") == ["1000"])
    }

    @Test("a table that a program drops stops sharing with a message, until it is there again")
    func droppedTable() throws {
        let (one, two) = try pair()
        try folder.program("one", "ALTER TABLE booking RENAME TO gone")
        let failure = one.failure()
        #expect(
            failure?.message.contains("booking") == true && failure?.retry == .afterChange,
            "\(String(describing: failure))")
        try folder.program("one", "ALTER TABLE gone RENAME TO booking", "INSERT INTO booking VALUES ('k', 'a', 'x')")
        try settle(one, two)
        #expect(try folder.rows("two", "SELECT * FROM booking") == ["k|a|x"])
    }

    @Test("files that were deleted from the cloud stop sharing with a message, and continue once they are back")
    func deletedFolder() throws {
        let (one, two) = try pair()
        let (path, away) = (folder.folder.path, "\(folder.path)/away")
        try FileManager.default.moveItem(atPath: path, toPath: away)
        try folder.program("one", "INSERT INTO account VALUES ('b', 'x', 0)")
        #expect(one.failure()?.message.contains("no longer in the cloud") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.moveItem(atPath: away, toPath: path)
        try settle(one, two)
        #expect(try folder.rows("two").count == 2)
    }

    @Test("a mount that cannot be written keeps transactions, which are published later")
    func unwritableMount() throws {
        let (one, two) = try pair()
        try folder.program("one", "INSERT INTO account VALUES ('b', 'x', 0)")
        // A file in the place of the device's folder: each write fails.
        let identifier = try #require(folder.folder.identifiers().first)
        let device = try #require(try SharingProbe(path: folder.file("one")).device)
        let (path, away) = ("\(folder.folder.path)/\(identifier)/\(device)", "\(folder.path)/away")
        try FileManager.default.moveItem(atPath: path, toPath: away)
        try Data().write(to: URL(filePath: path))
        #expect(one.failure() != nil)
        #expect(try SharingProbe(path: folder.file("one")).pending == 1)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        try settle(one, two)
        #expect(try folder.rows("two").count == 2)
    }
}

extension SharingFailure {
    fileprivate static func of(missing: Void) -> SharingFailure {
        SharingFailure(
            "the file is missing", advice: "Put it back, or end sharing with `ubiquity database detach`.", retry: .later
        )
    }
}
