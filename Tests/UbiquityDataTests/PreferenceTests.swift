import Foundation
import GRDB
import TestSupport
import Testing

@testable import UbiquityData

/// Effects of a person's preference and the account on documents.
@Suite("Documents follow the preference about the cloud")
struct PreferenceTests {
    private let data: DataFolder
    private let container = TestContainer()

    init() throws { data = try DataFolder() }

    private func device(_ name: String, seed: Bool = false) throws -> ManagedDevice {
        let rows: @Sendable (Database) throws -> Void = { db in
            try db.execute(sql: "INSERT INTO note(id, text) VALUES ('seed', 'of \(name)')")
        }
        return try ManagedDevice(name, container, in: data, schema: .notes(name, seed: seed ? rows : nil))
    }

    private func meet(_ devices: ManagedDevice...) throws {
        for _ in 0..<4 { for device in devices { try device.follow() } }
    }

    @Test("the first run asks; on yes the databases of the device become shared ones, and those of others are built")
    func firstRun() throws {
        let (one, two) = (try device("one"), try device("two"))
        try one.manager.create("Mine")
        try one.execute("Mine", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        #expect(try one.list() == ["Mine local"])
        for device in [one, two] {
            try device.manager.refresh()
            #expect(device.recorder.take(device).filter { $0.hasPrefix("asks") } == ["asks useCloud"])
            try device.restart()
            #expect(try device.manager.question() == .useCloud, "it is asked until it is answered")
            #expect(try device.manager.usesCloud() == nil)
            try device.manager.answer(.use)
            #expect(try device.manager.usesCloud() == true)
        }
        try meet(one, two)
        #expect(try one.list() == ["Mine current"] && two.list() == ["Mine current"])
        #expect(try two.rows("Mine") == ["a x"])
    }

    @Test("on no nothing is shared and nothing appears, until the preference is switched on")
    func declined() throws {
        let (one, two) = (try device("one"), try device("two"))
        for (device, answer) in [(one, UbiquitousCloudAnswer.use), (two, .doNotUse)] {
            try device.manager.refresh()
            try device.manager.answer(answer)
        }
        try one.manager.create("Shared")
        try two.manager.create("Own")
        try meet(one, two)
        #expect(try one.list() == ["Shared current"] && two.list() == ["Own local"])
        try two.manager.setUsesCloud(true)
        try meet(one, two)
        #expect(try one.list() == ["Own current", "Shared current"])
        #expect(try two.list() == ["Own current", "Shared current"])
        #expect(two.recorder.take(two).allSatisfy { !$0.hasPrefix("asks turned") })
    }

    @Test(
        "switched off, the three answers keep local copies, remove them from this device only, or change nothing",
        arguments: [
            (UbiquitousCloudAnswer.keepLocalCopies, ["A local", "B local"], [String]()),
            (.delete, [], ["A current", "B current"]),
            (.goOnUsing, ["A current", "B current"], ["A current", "B current"]),
        ])
    func off(_ answer: UbiquitousCloudAnswer, _ own: [String], _ others: [String]) throws {
        let (one, two) = (try device("one"), try device("two"))
        for device in [one, two] {
            try device.manager.refresh()
            try device.manager.answer(.use)
        }
        for title in ["A", "B"] {
            try one.manager.create(title)
            try one.execute(title, "INSERT INTO note(id, text) VALUES ('a', '\(title)')")
        }
        try meet(one, two)
        try two.manager.setUsesCloud(false)
        #expect(two.recorder.take(two).contains("asks turnedOff"))
        try meet(one, two)
        #expect(try two.list() == ["A current", "B current"], "until it is answered")
        // No answer loses any written data.
        try two.execute("A", "INSERT INTO note(id, text) VALUES ('b', 'last')")
        try two.manager.answer(answer)
        try meet(one, two)
        #expect(try two.list() == own && one.list() == others)
        let device = own.isEmpty ? one : two
        #expect(try device.rows("A") == ["a A", "b last"])
        #expect(try one.manager.keptDatabases().isEmpty && two.manager.keptDatabases().isEmpty)
    }

    @Test("when the account is gone nothing is lost, and all goes on when it is back")
    func account() throws {
        let (one, two) = (try device("one"), try device("two"))
        for device in [one, two] {
            try device.manager.refresh()
            try device.manager.answer(.use)
        }
        try one.manager.create("Ledger")
        try meet(one, two)
        _ = two.recorder.take(two)
        two.signIn(false)
        try two.manager.refresh()
        #expect(two.recorder.take(two) == ["reachable false"])
        #expect(try two.list() == ["Ledger unreachable"])
        try two.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'offline')")
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('b', 'online')")
        two.signIn(true)
        try two.manager.refresh()
        #expect(two.recorder.take(two) == ["reachable true"])
        for device in [one, two, one, two] {
            _ = try device.rows("Ledger")
            try meet(one, two)
        }
        for device in [one, two] { #expect(try device.rows("Ledger") == ["a offline", "b online"]) }
    }

    @Test("rows of a new database are inserted where it begins, and nowhere else")
    func seed() throws {
        let (one, two) = (try device("one", seed: true), try device("two", seed: true))
        for device in [one, two] {
            try device.manager.refresh()
            try device.manager.answer(.use)
        }
        try one.manager.create("Ledger")
        try one.execute("Ledger", "UPDATE note SET text = 'changed'")
        try meet(one, two)
        #expect(try two.rows("Ledger") == ["seed changed"])
        try meet(one, two)
        #expect(try one.rows("Ledger") == ["seed changed"])
    }

    @Test("a program with one database has the same one on all devices, also if two make it at the same time")
    func library() throws {
        let (one, two) = (try device("one", seed: true), try device("two", seed: true))
        for device in [one, two] {
            // Before the cloud is used, it is the device's own.
            let document = try device.manager.openLibrary("Library")
            #expect(!document.isShared)
            try document.write { db in
                try db.execute(sql: "INSERT INTO note(id, text) VALUES ('\(device.name)', 'x')")
            }
            try document.close()
            try device.manager.refresh()
            try device.manager.answer(.use)
        }
        try meet(one, two)
        for device in [one, two, one, two] {
            _ = try device.rows("Library")
            try meet(one, two)
        }
        for device in [one, two] {
            #expect(try device.list() == ["Library current"])
            #expect(try device.rows("Library").map { $0.split(separator: " ")[0] } == ["one", "seed", "two"])
            let document = try device.manager.openLibrary("Library")
            #expect(document.isShared)
            try document.close()
        }
        #expect(try one.rows("Library") == two.rows("Library"))
        // Once removed, the title starts a new database.
        try one.manager.remove(#require(try one.info("Library")))
        try meet(one, two)
        #expect(try one.list() == [] && two.list() == [])
        let again = try two.manager.openLibrary("Library")
        try again.close()
        try meet(one, two)
        #expect(try one.list() == ["Library current"])
        #expect(try one.rows("Library") == ["seed of two"])
    }

    @Test("a library that is made offline after an earlier one was removed is another one, with its rows")
    func libraryAgain() throws {
        let (one, two) = (try device("one"), try device("two"))
        for device in [one, two] {
            try device.manager.refresh()
            try device.manager.answer(.use)
        }
        try one.manager.openLibrary("Library").close()
        try meet(one, two)
        try one.manager.remove(#require(try one.info("Library")))
        try meet(one, two)
        two.signIn(false)
        let document = try two.manager.openLibrary("Library")
        try document.write { try $0.execute(sql: "INSERT INTO note(id, text) VALUES ('a', 'offline')") }
        try document.close()
        two.signIn(true)
        try meet(one, two)
        for device in [one, two] {
            #expect(try device.list() == ["Library current"])
            #expect(try device.rows("Library") == ["a offline"])
            #expect(try device.manager.keptDatabases().isEmpty)
        }
        #expect(try one.manager.openLibrary("Library").database?.identifier == two.info("Library")?.identifier)
    }
}
