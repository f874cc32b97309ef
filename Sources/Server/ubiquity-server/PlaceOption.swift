import ArgumentParser
import Basics
import CloudServer
import Foundation
import Glibc
import Logging

/// The options for the place of the server's data: a directory, or a database and a bucket.
struct PlaceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The directory with all data of the server. Only `serve` and `account add` create it.", valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database of a cluster, such as postgres://user@host/name; needs --chunks.", valueName: "uri"
        ))
    var database: String?

    @Option(
        help: ArgumentHelp("The bucket of a cluster, such as s3://bucket/prefix; needs --database.", valueName: "uri"))
    var chunks: String?

    @Option(
        help: ArgumentHelp(
            "A directory of this process of a cluster for what can be made again (default: ubiquity-server in $XDG_CACHE_HOME).",
            valueName: "dir"))
    var cache: String?

    @Option(
        help: ArgumentHelp(
            "A file with lines KEY = VALUE, whose keys are these and the options of `serve` without dashes. The command line wins.",
            valueName: "file"))
    var settings: String?

    func validate() throws { _ = try resolved() }

    /// Returns the place named by the command line, the environment and the settings file together.
    func resolved() throws -> PlaceSettings {
        let options = ["data": data, "database": database, "chunks": chunks, "cache": cache].compactMapValues(\.self)
        do {
            return try PlaceSettings(options: options, environment: Self.environment, file: settingsFile())
        } catch let problem as SettingsProblem { throw ValidationError(problem.description) }
    }

    /// Returns the settings file; nil if there is none.
    func settingsFile() throws -> SettingsFile? {
        guard let path = settings ?? PlaceSettings.variable("settings", Self.environment) else { return nil }
        do { return try SettingsFile(reading: path) } catch let problem as SettingsProblem {
            throw ValidationError(problem.description)
        }
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}

extension SettingsFile {
    /// Reads a file of at most ``maximumBytes``.
    init(reading path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SettingsProblem("\(path): \(String(cString: strerror(errno))).") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let bytes: Data
        do { bytes = try file.read(upToCount: Self.maximumBytes + 1) ?? Data() } catch {
            throw SettingsProblem("\(path) cannot be read: \(error).")
        }
        guard bytes.count <= Self.maximumBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw SettingsProblem("\(path) is not a file of settings: it is too long, or not text.")
        }
        try self.init(parsing: text, name: path)
    }
}

extension PlaceOption {
    /// Returns the data directory for a command supporting directories only.
    ///
    /// - Parameter done: The command's action, as a participle.
    func requireDirectory(to done: String) throws -> String {
        guard case .directory(let directory) = try resolved().place else {
            throw Failure(
                """
                A cluster is not \(done) by this command: its halves are backed up where they are. For the database use PostgreSQL's own \
                tools (pg_basebackup and archived WAL, or pg_dump), for the bucket its versions or a copy that is never older than the \
                database's.
                """)
        }
        return directory
    }
}

extension PlaceSettings {
    var isCluster: Bool { if case .cluster = place { true } else { false } }

    /// Warns of a password readable by other users of the machine.
    func warn(_ log: Logger) {
        guard exposesPassword else { return }
        log.warning(
            "the database's password is on the command line, where every user of this machine can read it (ps): put it into a file for --settings, PGPASSFILE or a service file, with mode 0600, or into PGPASSWORD"
        )
    }
}
