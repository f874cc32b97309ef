import Foundation
import GRDB
import TestSupport
import Testing

@testable import UbiquityData

@Suite("Database documents")
struct ManagerTests {
    private let pair: ManagedPair
    private var one: ManagedDevice { pair.one }
    private var two: ManagedDevice { pair.two }

    init() throws { pair = try ManagedPair() }

    @Test("a database that one device makes appears on the other, complete, with what was written before and after")
    func sharing() throws {
        try one.manager.create("Ledger")
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        #expect(try two.list() == [])
        try pair.meet()
        #expect(try two.list() == ["Ledger current"])
        #expect(two.recorder.take(two) == ["added Ledger"])
        #expect(try two.rows("Ledger") == ["a x"])
        try two.execute("Ledger", "UPDATE note SET text = 'y'")
        try pair.meet()
        #expect(try one.rows("Ledger") == ["a y"])
        // The database itself is never in the cloud.
        let files = try FileManager.default.subpathsOfDirectory(atPath: one.mount.path)
        #expect(files.allSatisfy { !$0.contains("sqlite") })
    }

    @Test("a database that only one device has stays there, and one that is made offline travels later")
    func localAndOffline() throws {
        try one.manager.create("Own", isShared: false)
        one.signIn(false)
        try one.manager.create("Travels")
        try one.execute("Travels", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        #expect(try one.list() == ["Own local", "Travels unreachable"])
        one.signIn(true)
        try pair.meet()
        #expect(try one.list() == ["Own local", "Travels current"])
        #expect(try two.list() == ["Travels current"])
        #expect(try two.rows("Travels") == ["a x"])
    }

    @Test("a copy cannot be opened before it has all files")
    func building() throws {
        try one.manager.create("Ledger")
        for text in ["a", "b"] { try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('\(text)', 1)") }
        try one.mount.send()
        // The folder and the last file are there, and the first files are not.
        try two.mount.receive()
        let folder = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: two.mount.path).first {
                $0.hasSuffix("000000001.rows")
            })
        let missing = "\(two.mount.path)/\(folder)"
        try FileManager.default.moveItem(atPath: missing, toPath: "\(missing).away")
        try two.manager.refresh()
        two.manager.buildQueue.sync {}
        #expect(try two.list() == ["Ledger building"])
        let info = try #require(try two.info("Ledger"))
        #expect(throws: UbiquitousDatabaseManagerError.building(title: "Ledger")) { try two.manager.open(info) }
        try FileManager.default.moveItem(atPath: "\(missing).away", toPath: missing)
        two.time.advance(by: .seconds(5))
        try two.follow()
        #expect(try two.list() == ["Ledger current"])
        #expect(try two.rows("Ledger") == ["a 1", "b 1"])
    }

    @Test("one call removes a database everywhere; the remover's files go when the log has the removal")
    func removal() throws {
        try one.manager.create("Ledger")
        try pair.meet()
        try one.manager.remove(#require(try one.info("Ledger")))
        #expect(try one.list() == [])
        #expect(try one.folders().count == 1, "it waits for the log")
        _ = two.recorder.take(two)
        try pair.meet()
        #expect(try one.folders() == [])
        #expect(try two.list() == [])
        #expect(two.recorder.take(two) == ["removed Ledger"])
        #expect(try two.folders() == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(two.mount.path)/Databases") == ["Removed"])
    }

    @Test("a device with transactions that the log did not have keeps them, and a person gets them back")
    func kept() throws {
        try one.manager.create("Ledger")
        try pair.meet()
        two.signIn(false)
        try two.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'only here')")
        try one.manager.remove(#require(try one.info("Ledger")))
        try pair.meet()
        two.signIn(true)
        _ = two.recorder.take(two)
        try pair.meet()
        #expect(two.recorder.take(two).contains("kept Ledger"))
        #expect(try two.list() == [])
        let kept = try #require(try two.manager.keptDatabases().first)
        try two.manager.recover(kept)
        #expect(try two.list() == ["Ledger local"])
        #expect(try two.rows("Ledger") == ["a only here"])
        try two.manager.discard(kept)
        #expect(try two.folders() == ["Documents/Ledger"])
        try pair.meet()
        #expect(try one.list() == [])
    }

    @Test("what a device sent after the removal is kept there, and its folder does not return as a database")
    func late() throws {
        try one.manager.create("Ledger")
        try pair.meet()
        try one.manager.remove(#require(try one.info("Ledger")))
        try one.mount.send()
        // The other device has not received the removal.
        try two.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'late')")
        try two.mount.send()
        try pair.meet()
        #expect(try one.list() == [] && two.list() == [])
        #expect(try two.manager.keptDatabases().map(\.title) == ["Ledger"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(one.mount.path)/Databases") == ["Removed"])
    }

    @Test("a transaction that the log had before the removal, and the remover had not seen, is kept by its device")
    func unseen() throws {
        try one.manager.create("Ledger")
        try pair.meet()
        try two.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'unseen')")
        try two.mount.meet()
        // The device has seen its transaction in the log.
        try two.manager.refresh()
        try one.manager.remove(#require(try one.info("Ledger")))
        try pair.meet()
        #expect(try one.list() == [] && two.list() == [])
        let kept = try #require(try two.manager.keptDatabases().first)
        try two.manager.recover(kept)
        #expect(try two.rows("Ledger") == ["a unseen"])
    }

    @Test("a database whose folder is gone without a removal is not removed")
    func missing() throws {
        try one.manager.create("Ledger")
        try pair.meet()
        let folders = try FileManager.default.contentsOfDirectory(atPath: "\(two.mount.path)/Databases")
        for folder in folders {
            try FileManager.default.removeItem(atPath: "\(two.mount.path)/Databases/\(folder)")
        }
        try two.manager.refresh()
        #expect(try two.list() == ["Ledger missing"])
        try two.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        #expect(try two.rows("Ledger") == ["a x"])
    }

    @Test("a copy is built again from the cloud; one with unpublished transactions is kept")
    func reset() throws {
        try one.manager.create("Ledger")
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        try pair.meet()
        try one.manager.refresh()
        try two.manager.reset(#require(try two.info("Ledger")))
        two.manager.buildQueue.sync {}
        try two.mount.send()
        #expect(try two.rows("Ledger") == ["a x"])
        #expect(try two.manager.keptDatabases() == [])
        // An unreadable copy.
        let name = try #require(try two.info("Ledger")?.name)
        let file = two.manager.files.package(name).database
        for ending in ["", "-wal"] { try Data(repeating: 7, count: 8_192).write(to: URL(filePath: file + ending)) }
        try two.manager.reset(#require(try two.info("Ledger")))
        two.manager.buildQueue.sync {}
        #expect(try two.manager.keptDatabases().map(\.title) == ["Ledger"])
        #expect(try two.rows("Ledger") == ["a x"])
    }

    @Test("a manager that was started follows the cloud by itself, and reports its list")
    func following() throws {
        let posted = PostedLists(two.manager)
        two.manager.start()
        func settle() throws {
            // Each waits for all running work before it.
            for _ in 0..<3 {
                _ = try two.manager.databases()
                two.manager.buildQueue.sync {}
            }
            _ = two.recorder.take(two)
        }
        try settle()
        try one.manager.create("Ledger")
        try one.mount.send()
        try two.mount.receive()
        two.time.fire(below: two.mount.path)
        try settle()
        #expect(try two.list() == ["Ledger current"])
        #expect(posted.last == ["Ledger"])
        try one.manager.remove(#require(try one.info("Ledger")))
        try one.mount.send()
        try two.mount.receive()
        // The event was lost; the manager polls.
        two.time.advance(by: .seconds(30))
        try settle()
        #expect(try two.list() == [])
        #expect(posted.last == [])
        try two.manager.stop()
    }

    @Test("titles that cannot be folders are refused, and two devices may give one title to two databases")
    func titles() throws {
        for title in ["", ".hidden", "a/b", "a_UUID_b", "a ", "~$x", String(repeating: "x", count: 151), "a\nb"] {
            #expect(throws: UbiquitousDatabaseManagerError.badTitle(title)) { try one.manager.create(title) }
        }
        try one.manager.create("Ledger")
        try two.manager.create("Ledger")
        try pair.meet()
        #expect(try one.list() == ["Ledger current", "Ledger current"])
        try one.manager.create("Own", isShared: false)
        #expect(throws: UbiquitousDatabaseManagerError.titleTaken("Own")) {
            try one.manager.create("Own", isShared: false)
        }
    }

    @Test("a document that a second process has open is neither moved nor removed")
    func inUse() throws {
        try one.manager.create("Ledger")
        let other = try one.makeManager()
        let info = try #require(try one.info("Ledger"))
        let document = try other.open(info)
        #expect(throws: UbiquitousDatabaseManagerError.inUse(title: "Ledger")) { try one.manager.remove(info) }
        #expect(throws: UbiquitousDatabaseManagerError.inUse(title: "Ledger")) {
            // The first state in the log has to be there for a reset.
            try pair.meet()
            try one.manager.reset(info)
        }
        try document.close()
        try one.manager.remove(info)
        #expect(try one.list() == [])
    }
}

/// The titles in a manager's last posted list.
// The lock guards the list.
private final class PostedLists: @unchecked Sendable {
    private var list: [String] = []
    private let lock = NSLock()
    private var token: (any NSObjectProtocol)?

    init(_ manager: UbiquitousDatabaseManager) {
        token = NotificationCenter.default.addObserver(
            forName: .UbiquitousDatabaseListDidChange, object: manager, queue: nil
        ) { [weak self] note in
            guard let manager = note.object as? UbiquitousDatabaseManager else { return }
            let titles = (try? manager.databases().map(\.title)) ?? ["error"]
            self?.lock.withLock { self?.list = titles }
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    var last: [String] { lock.withLock { list } }
}
