import CLinux
import DaemonProtocol
import Faults
import Foundation
import Glibc
import TestSupport
import Testing

/// A command on the file of a device, without a daemon: a folder stands for the mount.
enum SharingCommand: String, CaseIterable, Sendable, CustomStringConvertible {
    case share, attach, detach

    var description: String { rawValue }
}

/// A file, and the command interrupted by the process's death.
final class SharingTrial {
    private static let schema = """
        CREATE TABLE account(id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE);
        INSERT INTO account VALUES ('a', 'cash'), ('b', 'bank');
        """
    private static let rows = "a|cash\nb|bank"

    private let command: SharingCommand
    private let root: String
    private let binaries: String
    private let runner = ProgramRunner(environment: [:]) {}
    private var mount: String { "\(root)/mount" }
    private var file: String { "\(root)/ledger.sqlite" }

    /// - Parameter root: A nonexistent folder.
    init(_ command: SharingCommand, root: String, binaries: String) async throws {
        (self.command, self.root, self.binaries) = (command, root, binaries)
        try FileManager.default.createDirectory(atPath: "\(mount)/CloudDocs", withIntermediateDirectories: true)
        for state in ["state", "other"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(state)", withIntermediateDirectories: true)
        }
        switch command {
        case .share: _ = try await sql(Self.schema)
        case .attach: try await shareElsewhere()
        case .detach:
            _ = try await sql(Self.schema)
            let helper = try await helper()
            try require(helper.call(share(file)))
            try await eventually("the file is shared") {
                let own = try await own()
                return try own == Self.complete && isCurrent(helper)
            }
            helper.end()
        }
    }

    // MARK: Processes

    private func helper(_ state: String = "state", meeting: String? = nil) async throws -> SharingHelper {
        try await SharingHelper(binaries: binaries, ["\(root)/\(state)", mount, state], meeting: meeting)
    }

    private func sql(_ sql: String, in other: String? = nil) async throws -> String {
        try await runner.run("sqlite3", ["-cmd", ".timeout 20000", other ?? file, sql], in: "/").text()
    }

    private func share(_ path: String) -> ShareDatabaseRequest {
        ShareDatabaseRequest(name: "ledger", container: "CloudDocs", path: path, tables: [], sharesAll: true)
    }

    private func require<T>(_ result: Result<T, DaemonFailure>?) throws {
        guard let result else { throw EndToEndError("the process has ended") }
        _ = try result.get()
    }

    /// Makes another device share its file, and puts its output into the log.
    private func shareElsewhere() async throws {
        let other = "\(root)/other.sqlite"
        _ = try await sql(Self.schema, in: other)
        let helper = try await helper("other")
        try require(helper.call(share(other)))
        try await eventually("the other device sends its rows and tables") {
            let files = try FileManager.default.subpathsOfDirectory(atPath: mount)
            for file in files where file.hasSuffix(".rows") {
                let version = "1.0"
                guard setxattr("\(mount)/\(file)", "user.ubiquity.version", version, version.utf8.count, 0) == 0 else {
                    throw EndToEndError("the folder for temporary files has no extended attributes")
                }
            }
            return files.contains { $0.hasSuffix(".rows") } && files.contains { $0.hasSuffix("schema.json") }
        }
        helper.end()
    }

    // MARK: The command

    /// Runs the command while calls are counted, or until the process dies at a call.
    ///
    /// - Returns: The number of calls, and the fatal call.
    func run(killAt point: Int?) async throws -> (calls: Int, struck: ObservedCall?) {
        let helper = try await helper(meeting: "\(root)/meeting")
        let place = "\(root)/"
        helper.supervisor?.begin(
            FaultPlan(point == nil ? nil : .kill, at: point ?? 1) { call in
                call.call != .openat && !SystemCall.reads.contains(call.call) && call.target.hasPrefix(place)
            })
        let outcome = try perform(helper)
        if case .failure(let failure)? = outcome { throw failure }
        let plan = helper.supervisor?.end()
        helper.end()
        return (plan?.count ?? 0, plan?.struck)
    }

    private func perform(_ helper: SharingHelper) throws -> Result<Void, DaemonFailure>? {
        switch command {
        case .share: return try helper.call(share(file)).map { $0.map { _ in } }
        case .attach:
            let request = AttachDatabaseRequest(name: "ledger", container: "CloudDocs", path: file)
            return try helper.call(request).map { $0.map { _ in } }
        case .detach: return try helper.call(DetachDatabaseRequest(name: "ledger")).map { $0.map { _ in } }
        }
    }

    // MARK: The file

    /// The library's objects in a file with the table `account`.
    private static let complete = "shared"

    /// Returns `shared` for a file with all of the library's triggers, and an empty text for a plain file.
    private func own() async throws -> String {
        guard access(file, F_OK) == 0 else { return "" }
        let names = try await sql(
            "SELECT type || ' ' || name FROM sqlite_master WHERE name LIKE '\\_ubq\\_%' ESCAPE '\\'")
        let triggers = names.split(separator: "\n").count { $0.hasPrefix("trigger ") && $0.hasSuffix("_account") }
        if names.isEmpty { return "" }
        return triggers == 7 && names.contains("table _ubq_state") ? Self.complete : names
    }

    private func isCurrent(_ helper: SharingHelper) throws -> Bool {
        let databases = try helper.call(DatabasesRequest())?.get().databases ?? []
        return databases.first.map { $0.problem == nil && $0.lastPublished != nil } ?? false
    }

    /// A program's view of the file right after the death.
    func expectWhole(_ when: String) async throws {
        guard access(file, F_OK) == 0 else {
            #expect(command == .attach, "\(when): the file is gone")
            return
        }
        #expect(try await sql("PRAGMA integrity_check") == "ok", "\(when)")
        let own = try await own()
        #expect(["", Self.complete].contains(own), "\(when): \(own)")
        if command != .attach { #expect(try await sql("SELECT * FROM account ORDER BY id") == Self.rows, "\(when)") }
    }

    /// Restarts the process, repeats the command, and expects its completion.
    func expectDone(_ when: String) async throws {
        let helper = try await helper()
        if case .failure(let failure)? = try perform(helper) {
            // The command was completed before, or by the restarted process.
            let expected = command == .detach ? "no database is shared" : "shared from this device already"
            #expect(failure.message.contains(expected), "\(when): \(failure)")
        }
        if command != .detach {
            try await eventually("\(when): the file is shared and has all rows") {
                guard try await own() == Self.complete else { return false }
                return try await sql("SELECT * FROM account ORDER BY id") == Self.rows
            }
            _ = try await sql("INSERT INTO account VALUES ('c', 'purse')")
            try require(helper.call(DetachDatabaseRequest(name: "ledger")))
        }
        // A file created locally had no earlier mode.
        let mode = command == .attach ? "wal" : "delete"
        try await eventually("\(when): the file is a plain one") {
            guard try helper.call(DatabasesRequest())?.get().databases.isEmpty == true else { return false }
            guard try await own().isEmpty else { return false }
            return try await sql("PRAGMA journal_mode") == mode
        }
        let rows = command == .detach ? Self.rows : "\(Self.rows)\nc|purse"
        #expect(try await sql("SELECT * FROM account ORDER BY id") == rows, "\(when)")
        #expect(try await sql("PRAGMA integrity_check") == "ok", "\(when)")
        helper.end()
    }
}
