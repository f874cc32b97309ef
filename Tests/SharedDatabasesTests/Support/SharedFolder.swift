import Basics
import CLinux
import CloudModel
import Foundation
import GRDB
import Glibc
import Records
import Testing
import UbiquityData

@testable import SharedDatabases

/// A folder with the files of several devices, and a folder that stands for the mounts of all of them: a file in it is
/// in the log once ``deliver()`` has given it a version.
final class SharedFolder {
    static let id = Registration.Name(container: "CloudDocs", name: "ledger")
    static let schema = """
        CREATE TABLE account(id TEXT PRIMARY KEY NOT NULL, name TEXT, balance INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE booking(id TEXT PRIMARY KEY NOT NULL, account TEXT REFERENCES account(id), text TEXT);
        CREATE INDEX booking_account ON booking(account);
        """

    let path: String
    var mount: String { "\(path)/mount" }
    var folder: CloudFolder { CloudFolder(mount: mount, id: Self.id) }
    private var sequence: UInt64 = 0

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "mount/CloudDocs"), withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        // The rest is removed with the home of the test process.
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ device: String) -> String { "\(path)/\(device).sqlite" }

    /// Runs statements like a program unaware of sharing.
    func program(_ device: String, _ statements: String...) throws {
        let queue = try DatabaseQueue(path: file(device))
        try queue.writeWithoutTransaction { db in for sql in statements { try db.execute(sql: sql) } }
        try queue.close()
    }

    /// Returns the rows of a query as text, their columns divided by `|`.
    func rows(_ device: String, _ sql: String = "SELECT * FROM account ORDER BY id") throws -> [String] {
        let queue = try DatabaseQueue(path: file(device))
        return try queue.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { $0.isNull ? "NULL" : String.fromDatabaseValue($0) ?? "\($0)" }
                    .joined(separator: "|")
            }
        }
    }

    static func isInLog(_ file: String) -> Bool {
        var byte: UInt8 = 0
        // A size of 0 asks for the length.
        return getxattr(file, "user.ubiquity.version", &byte, 0) >= 0
    }

    /// Gives each new file a version, as the log does.
    func deliver() throws {
        for file in try FileManager.default.subpathsOfDirectory(atPath: mount).sorted() where file.hasSuffix(".rows") {
            let whole = "\(mount)/\(file)"
            guard !Self.isInLog(whole) else { continue }
            sequence += 1
            let version = VersionID(sequence: LogSequence(sequence), index: 0).description
            let code = setxattr(whole, "user.ubiquity.version", version, version.utf8.count, 0)
            try #require(code == 0, "the folder for temporary files has no extended attributes")
        }
    }
}

/// A device with rounds run by a test.
final class SharingDevice {
    let name: String
    let registry: Registry
    private var round: Round

    init(_ name: String, in folder: SharedFolder) throws {
        self.name = name
        let state = "\(folder.path)/\(name)-state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        registry = Registry(stateDirectory: state)
        round = Round(registry: registry, folder: folder.folder, deviceName: name)
    }

    /// Registers the device's file as `ubiquity database share` does, before the file has its triggers.
    func share(_ folder: SharedFolder, _ declarations: SharedSchema.Table..., all: Bool = true) throws {
        let probe = try SharingProbe(path: folder.file(name))
        let tables = probe.tables.map { table in
            declarations.first { $0.name == table.name } ?? SharedSchema.Table(table.name)
        }
        try registry.add(
            Registration(
                name: "ledger", container: "CloudDocs", path: folder.file(name),
                identifier: ItemID.random().description,
                tables: tables, sharesAll: all, version: 1, journalMode: probe.journalMode))
    }

    /// Registers the device's file as `ubiquity database attach` does.
    func attach(_ folder: SharedFolder) throws {
        let identifier = try #require(folder.folder.identifiers().first)
        let schema = try #require(folder.folder.schemas(of: identifier).schemas.first)
        var registration = Registration(
            name: "ledger", container: "CloudDocs", path: folder.file(name), identifier: identifier,
            tables: schema.tables, sharesAll: false, version: schema.version, journalMode: "delete")
        registration.schema = schema
        try registry.add(registration)
    }

    /// Runs a round; it must succeed.
    @discardableResult
    func step() throws -> Round.Report {
        let report = round.run(SharedFolder.id)
        if let failure = report.failure { throw failure }
        return report
    }

    /// Runs a round and returns why it failed.
    func failure() -> SharingFailure? { round.run(SharedFolder.id).failure }
}
