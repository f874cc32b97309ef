import CloudModel
import DaemonProtocol
import Foundation
import GRDB
import Logging
import Records
import Testing
import UbiquityData

@testable import SharedDatabases

@Suite("Sharing and attaching files")
struct SharingServiceTests {
    private let folder: SharedFolder

    init() throws { folder = try SharedFolder() }

    private func service(_ device: String) throws -> SharingService {
        let state = "\(folder.path)/\(device)-state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        return SharingService(
            stateDirectory: state, mount: folder.mount, deviceName: device,
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    private func share(
        _ device: String, name: String = "ledger", container: String = "CloudDocs", path: String? = nil,
        tables: [ShareDatabaseRequest.Table] = []
    ) -> ShareDatabaseRequest {
        ShareDatabaseRequest(
            name: name, container: container, path: path ?? folder.file(device), tables: tables,
            sharesAll: tables.isEmpty)
    }

    private func attach(_ device: String, name: String = "ledger", sendsRows: Bool = false) -> AttachDatabaseRequest {
        AttachDatabaseRequest(name: name, container: "CloudDocs", path: folder.file(device), sendsRows: sendsRows)
    }

    /// Waits until a device has written the description of its tables.
    private func published() throws {
        let one = try SharingDevice("one", in: folder)
        try one.step()
        try folder.deliver()
    }

    @Test("a shared file has triggers and a registration; detaching leaves the rows and nothing else")
    func shareAndDetach() throws {
        try folder.program("one", SharedFolder.schema, "INSERT INTO account VALUES ('a', 'cash', 1)")
        let before = try folder.rows("one", "SELECT sql FROM sqlite_master ORDER BY name")
        let service = try service("one")
        let status = try service.share(share("one"))
        #expect(status.tables == ["account", "booking"] && status.path == folder.file("one"))
        #expect(try Registry(stateDirectory: "\(folder.path)/one-state").all.first?.isComplete == true)
        try service.detach(DetachDatabaseRequest(name: "ledger"))
        #expect(try folder.rows("one", "SELECT sql FROM sqlite_master ORDER BY name") == before)
        #expect(try folder.rows("one", "PRAGMA journal_mode") == ["delete"])
        #expect(try folder.rows("one") == ["a|cash|1"])
        #expect(try Registry(stateDirectory: "\(folder.path)/one-state").all.isEmpty)
        // The transactions were published first.
        #expect(folder.folder.identifiers() == [status.identifier])
    }

    @Test("what cannot be shared is refused with a reason, and the file stays as it was")
    func refusals() throws {
        try folder.program(
            "one", "CREATE TABLE good(id TEXT PRIMARY KEY NOT NULL)", "CREATE TABLE bad(id INTEGER PRIMARY KEY)")
        try folder.program("empty", "VACUUM")
        try Data("text".utf8).write(to: URL(filePath: folder.file("text")))
        try FileManager.default.copyItem(atPath: folder.file("one"), toPath: "\(folder.mount)/CloudDocs/in.sqlite")
        let bytes = try Data(contentsOf: URL(filePath: folder.file("one")))
        let service = try service("one")
        let cases: [(ShareDatabaseRequest, String)] = [
            (share("one"), "bad"), (share("none"), "no such file"), (share("empty"), "no tables"),
            (share("text"), "no SQLite database"), (share("one", name: "a/b"), "cannot be the name"),
            (share("one", name: ".."), "cannot be the name"), (share("one", name: "Removed"), "cannot be the name"),
            (share("one", container: "nowhere"), "no container"),
            (share("one", container: "../x"), "no container"),
            (share("one", path: "\(folder.mount)/CloudDocs/in.sqlite"), "in the cloud"),
            (share("one", path: "relative"), "absolute"), (share("one", tables: [.init("typo")]), "no table typo"),
        ]
        for (request, reason) in cases {
            let error = #expect(throws: DaemonFailure.self) { _ = try service.share(request) }
            let text = error?.description ?? ""
            #expect(text.contains(reason) && error?.advice != nil, "\(text)")
        }
        #expect(try service.registry.all.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: folder.file("one"))) == bytes)
        // The shareable table, alone.
        #expect(try service.share(share("one", tables: [.init("GOOD")])).tables == ["good"])
        #expect(throws: DaemonFailure.self) { try service.share(share("one", name: "again")) }
        #expect(throws: DaemonFailure.self) { try service.share(share("one")) }
    }

    @Test("a file whose tables do not fit, or that has rows, is not attached, and stays as it was")
    func attachRefusals() throws {
        try folder.program("one", SharedFolder.schema)
        try service("one").registry.add(registration())
        try published()
        let two = try service("two")
        func refused(_ request: AttachDatabaseRequest, _ reason: String) {
            let error = #expect(throws: DaemonFailure.self) { _ = try two.attach(request) }
            #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        }
        refused(attach("two", name: "ledgre"), "It has: ledger")
        try folder.program("key", "CREATE TABLE account(name TEXT PRIMARY KEY NOT NULL, id, balance)")
        refused(attach("key"), "another primary key")
        try folder.program("column", "CREATE TABLE account(id TEXT PRIMARY KEY NOT NULL, name TEXT)")
        refused(attach("column"), "lacks the column balance")
        try folder.program(
            "rows", "CREATE TABLE account(id TEXT PRIMARY KEY NOT NULL, name TEXT, balance INTEGER, more)",
            "INSERT INTO account VALUES ('r', 'mine', 3, 4)")
        refused(attach("rows"), "rows")
        refused(
            AttachDatabaseRequest(name: "ledger", container: "CloudDocs", path: "\(folder.path)/no/folder"),
            "no such folder")
        for file in ["key", "column", "rows"] {
            #expect(
                try folder.rows(file, "SELECT count(*) FROM sqlite_master WHERE name LIKE '_ubq_%' OR name = 'booking'")
                    == ["0"])
            #expect(try folder.rows(file, "PRAGMA journal_mode") == ["delete"])
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("two")))
        #expect(try two.attach(attach("rows", sendsRows: true)).tables == ["account", "booking"])
    }

    private func registration() throws -> Registration {
        Registration(
            name: "ledger", container: "CloudDocs", path: folder.file("one"), identifier: ItemID.random().description,
            tables: [SharedSchema.Table("account"), SharedSchema.Table("booking")], sharesAll: true, version: 1,
            journalMode: "delete")
    }

    @Test("a detached registration whose file is gone, or was replaced, is removed and nothing else is touched")
    func detachWithoutFile() throws {
        try folder.program("one", SharedFolder.schema)
        let service = try service("one")
        _ = try service.share(share("one"))
        try service.release(SharedFolder.id)
        for ending in ["", "-wal", "-shm"] { unlink(folder.file("one") + ending) }
        try folder.program("one", "CREATE TABLE other(x)")
        try service.detach(DetachDatabaseRequest(name: "ledger"))
        #expect(try service.registry.all.isEmpty)
        #expect(try folder.rows("one", "SELECT name FROM sqlite_master") == ["other"])
    }

    /// Leaves the remains of a process that dies in `detach` after the file has become plain.
    private func interruptDetaching() throws {
        _ = try beginDetaching()
        try UbiquitousDatabase.removeSharing(path: folder.file("one"))
    }

    /// Leaves the remains of a process that dies in `detach` before it changes the file.
    private func beginDetaching() throws -> SharingService {
        try folder.program("one", SharedFolder.schema, "INSERT INTO account VALUES ('a', 'cash', 1)")
        let service = try service("one")
        _ = try service.share(share("one"))
        try service.release(SharedFolder.id)
        var registration = try #require(try service.registry.all.first)
        registration.isEnding = true
        try service.registry.update(registration)
        return service
    }

    @Test("a detach that was interrupted is completed by the command, and by the next round")
    func interruptedDetach() throws {
        for isRepeated in [true, false] {
            try interruptDetaching()
            if isRepeated {
                try service("one").detach(DetachDatabaseRequest(name: "ledger"))
            } else {
                try SharingDevice("one", in: folder).step()
            }
            #expect(try Registry(stateDirectory: "\(folder.path)/one-state").all.isEmpty)
            #expect(try folder.rows("one", "PRAGMA journal_mode") == ["delete"])
            #expect(try folder.rows("one") == ["a|cash|1"])
            unlink(folder.file("one"))
            // The first round's files, if it had begun.
            try? FileManager.default.removeItem(atPath: "\(folder.mount)/CloudDocs/Databases")
        }
    }

    @Test("a detach that died before the file became a plain one says nothing about a file that is put there later")
    func staleEnding() throws {
        _ = try beginDetaching()
        let device = try SharingDevice("one", in: folder)
        try device.step()
        let registry = { try Registry(stateDirectory: "\(folder.path)/one-state").all }
        #expect(try registry().map(\.isEnding) == [nil])
        for ending in ["", "-wal", "-shm"] { unlink(folder.file("one") + ending) }
        try folder.program("one", SharedFolder.schema)
        #expect(device.failure()?.retry == .afterChange)
        #expect(try registry().count == 1)
    }

    @Test("what the last rounds have found is listed without a look at the files")
    func briefList() throws {
        try folder.program("one", SharedFolder.schema)
        let service = try service("one")
        _ = try service.share(share("one"))
        let found = try service.list(isBrief: true)
        #expect(found.databases.map(\.name) == ["ledger"] && found.available.isEmpty)
    }

    @Test("a list of registrations that is damaged, or of a newer version, is reported and not replaced")
    func damagedRegistry() throws {
        try folder.program("one", SharedFolder.schema)
        for text in ["{", "[]", #"{"format": 2, "databases": []}"#] {
            let state = "\(folder.path)/one-state"
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            let file = URL(filePath: "\(state)/databases.json")
            try Data(text.utf8).write(to: file)
            let service = try service("one")
            #expect(throws: DaemonFailure.self) { try service.share(share("one")) }
            #expect(throws: DaemonFailure.self) { _ = try service.list() }
            #expect(try Data(contentsOf: file) == Data(text.utf8))
        }
    }

    @Test("random bytes are no list of registrations, and decoding them fails in order")
    func randomRegistry() throws {
        var random = SystemRandomNumberGenerator()
        let valid = Array(
            #"{"databases":[{"container":"c","identifier":"i","isComplete":true,"journalMode":"","name":"n","path":"/p","sharesAll":true,"tables":[],"version":1}],"format":1}"#
                .utf8)
        #expect(try Registry.decode(valid, path: "/p").count == 1)
        for _ in 0..<2_000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // Accepted or refused; a trap ends the test process.
            _ = try? Registry.decode(bytes, path: "/p")
        }
    }
}
