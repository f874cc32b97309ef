import Foundation
import GRDB
import TestSupport
import Testing

@testable import UbiquityData

@Suite("Moving databases into the cloud and out of it")
struct MoveTests {
    private let pair: ManagedPair
    private var one: ManagedDevice { pair.one }
    private var two: ManagedDevice { pair.two }

    init() throws { pair = try ManagedPair() }

    @Test("a database becomes a shared one with all of its rows, also those of tables that are not shared")
    func toCloud() throws {
        try one.manager.create("Ledger", isShared: false)
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        try one.execute("Ledger", "INSERT INTO window VALUES (7, 'left')")
        try one.manager.moveToCloud(#require(try one.info("Ledger")))
        #expect(one.recorder.take(one) == ["migrated Ledger shared"])
        try pair.meet()
        #expect(try one.list() == ["Ledger current"] && two.list() == ["Ledger current"])
        #expect(try two.rows("Ledger") == ["a x"])
        let places = try one.withDocument("Ledger") {
            try $0.reader.read { try String.fetchAll($0, sql: "SELECT id || place FROM window") }
        }
        #expect(places == ["7left"])
    }

    @Test("a database that leaves the cloud has what all devices sent before; what one sends later stays with it")
    func fromCloud() throws {
        try one.manager.create("Ledger")
        try pair.meet()
        try two.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'in time')")
        try two.mount.send()
        try one.manager.moveFromCloud(#require(try one.info("Ledger")))
        #expect(try one.list() == ["Ledger moving"], "the log has to have the mark first")
        // It can be written until then.
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('b', 'own')")
        try one.mount.send()
        try two.execute("Ledger", "INSERT INTO note(id, text) VALUES ('c', 'late')")
        try two.mount.send()
        try pair.meet()
        #expect(try one.list() == ["Ledger local"])
        #expect(try one.rows("Ledger") == ["a in time", "b own"])
        #expect(one.recorder.take(one).contains("migrated Ledger local"))
        #expect(try two.list() == [])
        let kept = try #require(try two.manager.keptDatabases().first)
        try two.manager.recover(kept)
        #expect(try two.rows("Ledger").contains("c late"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(one.mount.path)/Databases").sorted()
                == ["Departing", "Removed"])
    }

    @Test("a shared database that the cloud never had becomes a local one offline")
    func unannounced() throws {
        one.signIn(false)
        try one.manager.create("Ledger", isShared: true)
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        try one.manager.moveFromCloud(#require(try one.info("Ledger")))
        #expect(try one.list() == ["Ledger local"])
        #expect(try one.rows("Ledger") == ["a x"])
        #expect(try one.folders() == ["Documents/Ledger"])
    }

    @Test("a move does not remove rows that the new database cannot show: the old one is kept")
    func hidden() throws {
        try one.manager.create("Ledger")
        try pair.meet()
        for device in [one, two] {
            try device.execute("Ledger", "INSERT INTO note(id, text, name) VALUES ('\(device.name)', 'x', 'same')")
        }
        try pair.meet()
        try one.manager.moveFromCloud(#require(try one.info("Ledger")))
        try pair.meet()
        #expect(try one.list() == ["Ledger local"])
        #expect(try one.rows("Ledger").count == 1)
        let kept = try #require(try one.manager.keptDatabases().first)
        let old = try one.schema.open(kept.path, identifier: kept.identifier)
        #expect(try old.asideRows().count == 1)
        try old.close()
    }

    @Test("moving there and back a hundred times leaves one database, no duplicate and no folder")
    func hundredTimes() throws {
        try one.manager.create("Ledger", isShared: false)
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        for round in 0..<100 {
            try one.manager.moveToCloud(#require(try one.info("Ledger")))
            // The other device gets some of the copies, and knows of the others only that they are gone.
            if round % 10 == 0 { try pair.meet() }
            try one.manager.moveFromCloud(#require(try one.info("Ledger")))
            for _ in 0..<2 {
                try one.mount.meet()
                try one.manager.refresh()
            }
            #expect(try one.list() == ["Ledger local"], "round \(round)")
        }
        try pair.meet()
        #expect(try one.rows("Ledger") == ["a x"])
        #expect(try one.folders() == ["Documents/Ledger"])
        #expect(try two.list() == [])
        #expect(try two.folders() == [])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(two.mount.path)/Databases").sorted()
                == ["Departing", "Removed"])
    }

    @Test("a device that dies at any step of a move finishes it afterwards, without a duplicate and with all rows")
    func deaths() throws {
        for isToCloud in [true, false] {
            var step = 0
            while true {
                let data = try DataFolder()
                let container = TestContainer()
                let device = try ManagedDevice("device", container, in: data, schema: .notes("device"))
                try device.manager.refresh()
                try device.manager.answer(.use)
                try device.manager.create("Ledger", isShared: !isToCloud)
                try device.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
                try device.follow()
                let info = try #require(try device.info("Ledger"))
                let isDead = try device.dying(after: step) {
                    try isToCloud ? device.manager.moveToCloud(info) : device.manager.moveFromCloud(info)
                    for _ in 0..<3 {
                        try device.mount.meet()
                        try device.manager.refresh()
                    }
                }
                // The step that stores the move may be the failed one.
                if try device.info("Ledger")?.isShared != isToCloud, try device.info("Ledger")?.state != .moving {
                    let info = try #require(try device.info("Ledger"))
                    if info.isShared != isToCloud {
                        try isToCloud ? device.manager.moveToCloud(info) : device.manager.moveFromCloud(info)
                    }
                }
                for _ in 0..<4 {
                    try device.mount.meet()
                    try device.follow()
                }
                #expect(try device.list() == [isToCloud ? "Ledger current" : "Ledger local"], "step \(step)")
                #expect(try device.rows("Ledger") == ["a x"], "step \(step)")
                #expect(try device.folders().count == 1, "step \(step)")
                guard isDead else { break }
                step += 1
            }
            #expect(step >= 4, "the steps are passed")
        }
    }

    @Test("a copy that differs from the original is found: a row, a value, a type, a table, an index")
    func differences() throws {
        func file(_ name: String, _ sql: String) throws -> String {
            let path = pair.data.file("copy \(name)")
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, a, b BLOB)")
                try db.execute(sql: "INSERT INTO t VALUES ('1', 1, x'00'), ('2', NULL, NULL)")
                try db.execute(sql: sql)
            }
            try queue.close()
            return path
        }
        let source = try file("source", "SELECT 1")
        for (number, (sql, found)) in [
            ("SELECT 1", nil), ("DELETE FROM t WHERE id = '2'", "t"), ("INSERT INTO t VALUES ('3', 1, 1)", "t"),
            ("UPDATE t SET a = 1.0 WHERE id = '1'", "t"), ("UPDATE t SET a = '1' WHERE id = '1'", "t"),
            ("UPDATE t SET b = x'01' WHERE id = '1'", "t"), ("CREATE TABLE u(id)", "schema"),
            ("CREATE INDEX i ON t(a)", "schema"), ("CREATE TABLE _ubq_x(id)", nil),
        ].enumerated() {
            let copy = DatabaseCopy(source: source, target: try file("\(number)", sql))
            #expect(try copy.difference() == found, "\(sql)")
        }
    }
}
