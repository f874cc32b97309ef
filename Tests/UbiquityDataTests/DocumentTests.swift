import Foundation
import GRDB
import TestSupport
import Testing

@testable import UbiquityData

@Suite("Open documents")
struct DocumentTests {
    private let pair: ManagedPair
    private var one: ManagedDevice { pair.one }
    private var two: ManagedDevice { pair.two }

    init() throws {
        pair = try ManagedPair()
        try pair.one.manager.create("Ledger")
        try pair.meet()
        for device in [pair.one, pair.two] { _ = device.recorder.take(device) }
    }

    private func document(_ device: ManagedDevice) throws -> UbiquitousDatabaseDocument {
        let document = try device.manager.open(#require(try device.info("Ledger")))
        document.drain()
        return document
    }

    /// The numbers of files in a device's folder of the container.
    private func files(_ device: ManagedDevice) throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: device.mount.path).count { $0.hasSuffix(".rows") }
    }

    private func insert(_ id: String, _ document: UbiquitousDatabaseDocument) throws {
        try document.write { try $0.execute(sql: "INSERT INTO note(id, text) VALUES (?, 'x')", arguments: [id]) }
    }

    private func ids(_ document: UbiquitousDatabaseDocument) throws -> [String] {
        try document.reader.read { try String.fetchAll($0, sql: "SELECT id FROM note ORDER BY id") }
    }

    @Test("commits are published at most once a second, by themselves")
    func publishing() throws {
        let document = try document(one)
        let before = try files(one)
        for number in 0..<5 { try insert("\(number)", document) }
        document.drain()
        #expect(try files(one) == before, "the opening has published less than a second ago")
        one.time.advance(by: .milliseconds(900))
        document.drain()
        #expect(try files(one) == before)
        one.time.advance(by: .milliseconds(100))
        document.drain()
        #expect(try files(one) == before + 1)
        one.time.advance(by: .seconds(10))
        document.drain()
        #expect(try files(one) == before + 1, "nothing is published while nothing is committed")
        try document.close()
    }

    @Test("what arrives is imported when the folder changes, and the changed rows are reported")
    func importing() throws {
        let sender = try document(one)
        let receiver = try document(two)
        try insert("a", sender)
        one.time.advance(by: .seconds(1))
        sender.drain()
        try one.mount.send()
        try two.mount.receive()
        #expect(try ids(receiver) == [])
        let posted = PostedChanges(receiver)
        two.time.advance(by: .milliseconds(300))
        two.time.fire(below: two.mount.path)
        receiver.drain()
        #expect(try ids(receiver) == ["a"])
        #expect(posted.take() == ["inserted"])
        #expect(two.recorder.take(two) == ["changed Ledger 1"])
        try sender.close()
        try receiver.close()
    }

    @Test("without a container everything is written here, and travels when it is back")
    func offline() throws {
        one.signIn(false)
        let document = try document(one)
        try insert("a", document)
        try document.save()
        #expect(throws: UbiquitousDatabaseManagerError.unreachable) { try document.synchronize() }
        let before = try files(one)
        for _ in 0..<5 {
            one.time.advance(by: .seconds(20))
            document.drain()
        }
        #expect(try files(one) == before)
        one.signIn(true)
        try one.manager.refresh()
        document.drain()
        one.time.advance(by: .seconds(1))
        document.drain()
        #expect(try files(one) == before + 1)
        try document.close()
    }

    @Test("two processes have one document open: each sees what the other commits, and no file is written twice")
    func processes() throws {
        let other = try one.makeManager()
        let info = try #require(try one.info("Ledger"))
        let (mine, theirs) = (try document(one), try other.open(info))
        theirs.drain()
        _ = one.recorder.take(one)
        let before = try files(one)
        try insert("a", theirs)
        one.time.advance(by: .seconds(1))
        one.time.fire(below: one.folder.path)
        for document in [mine, theirs] { document.drain() }
        one.time.advance(by: .seconds(1))
        for document in [mine, theirs] { document.drain() }
        #expect(try ids(mine) == ["a"])
        #expect(one.recorder.take(one).contains("changed Ledger elsewhere"))
        #expect(try files(one) == before + 1)
        // At rest neither wakes the other.
        for _ in 0..<5 {
            one.time.advance(by: .seconds(1))
            one.time.fire(below: one.folder.path)
            for document in [mine, theirs] { document.drain() }
        }
        #expect(try files(one) == before + 1)
        #expect(try mine.database?.text("PRAGMA integrity_check") == "ok")
        try mine.close()
        try theirs.close()
    }

    @Test("what the sqlite3 shell or another program writes to an open document is published by itself")
    func foreignProgram() throws {
        let document = try document(one)
        let before = try files(one)
        let queue = try DatabaseQueue(path: one.manager.files.package(document.name).database)
        try queue.write { try $0.execute(sql: "INSERT INTO note(id, text) VALUES ('a', 'x')") }
        try queue.close()
        one.time.advance(by: .seconds(2))
        one.time.fire(below: one.folder.path)
        document.drain()
        document.drain()
        #expect(try files(one) == before + 1)
        try document.close()
    }

    @Test("a document that another device removes is closed; what was not sent is kept")
    func removedWhileOpen() throws {
        let document = try document(two)
        two.signIn(false)
        try insert("a", document)
        try one.manager.remove(#require(try one.info("Ledger")))
        for _ in 0..<2 { try one.follow() }
        two.signIn(true)
        try two.follow()
        #expect(!document.isOpen)
        #expect(throws: (any Error).self) { try insert("b", document) }
        #expect(try two.manager.keptDatabases().map(\.title) == ["Ledger"])
        try document.close()
    }

    @Test("a file of a newer format is reported and stops the import, while the device goes on writing and publishing")
    func newerFormat() throws {
        let device = try #require(try ItemSuffix.deviceFolder(below: two.mount.path))
        try one.execute("Ledger", "INSERT INTO note(id, text) VALUES ('a', 'x')")
        try one.mount.send()
        try two.mount.receive()
        // The last file can only be read by a newer release.
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: device).filter { $0.hasSuffix(".rows") }.max())
        var bytes = Array(try Data(contentsOf: URL(filePath: "\(device)/\(file)")))
        bytes[4] += 1
        try Data(bytes).write(to: URL(filePath: "\(device)/\(file)"))
        let document = try document(two)
        two.time.advance(by: .seconds(100))
        document.drain()
        let failures = two.recorder.take(two).filter { $0.hasPrefix("failed") }
        #expect(failures.count == 1, "once, however often it is tried")
        #expect(failures.first?.contains("Install a newer version.") == true)
        let before = try files(two)
        try insert("b", document)
        two.time.advance(by: .seconds(100))
        document.drain()
        #expect(try ids(document) == ["b"])
        #expect(try files(two) > before)
        // The remote device's newer release stays compatible with this release, or this release is updated.
        bytes[4] -= 1
        try Data(bytes).write(to: URL(filePath: "\(device)/\(file)"))
        two.time.advance(by: .seconds(100))
        document.drain()
        #expect(try ids(document) == ["a", "b"])
        try document.close()
    }
}

private enum ItemSuffix {
    /// The only folder with files of transactions.
    static func deviceFolder(below path: String) throws -> String? {
        try FileManager.default.subpathsOfDirectory(atPath: path).first { $0.hasSuffix(".rows") }.map {
            URL(filePath: "\(path)/\($0)").deletingLastPathComponent().path
        }
    }
}

/// The notifications about a document.
// The lock guards the kinds.
private final class PostedChanges: @unchecked Sendable {
    private var kinds: [String] = []
    private let lock = NSLock()
    private var token: (any NSObjectProtocol)?

    init(_ document: UbiquitousDatabaseDocument) {
        token = NotificationCenter.default.addObserver(
            forName: .UbiquitousDatabaseDidImportChanges, object: document, queue: nil
        ) { [weak self] note in
            let changes = note.userInfo?[UbiquitousDatabaseDocument.changesKey] as? UbiquitousChanges
            self?.lock.withLock { self?.kinds += (changes?.rows ?? []).map { "\($0.kind)" } }
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    func take() -> [String] { lock.withLock { kinds } }
}
