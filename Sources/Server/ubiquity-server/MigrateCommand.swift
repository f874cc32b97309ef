import ArgumentParser
import Basics
import CloudServer
import Foundation
import Glibc
import Logging
import ServerStorage

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Move a server to another place; its devices continue there.",
        discussion: """
            Copies accounts, devices, logs and chunks, and compares them. Accounts, tokens and clouds stay the same: once a \
            server runs at the new place under the address of the old one, devices continue where they were. Neither \
            place may be served meanwhile, and the old one is not served afterwards, so that devices cannot come \
            between the two.

            A place is a directory, or a cluster: a PostgreSQL database and a bucket. Put a database's password into a file \
            for --from-settings or --to-settings, or where libpq looks for it (PGPASSFILE); the bucket's credentials are \
            those of the environment, as for `serve`.

            The command may be interrupted at any time; the same command continues. --cancel makes the old place usable \
            again. If everything had been moved already, it is then as it was before the move, and devices that have seen \
            more than that ask for `ubiquity reset`, which loses no edit.
            """)

    @Option(help: ArgumentHelp("The place with the data: a directory, or postgres://…", valueName: "place"))
    var from: String?
    @Option(help: ArgumentHelp("The bucket of a cluster with the data.", valueName: "uri")) var fromChunks: String?
    @Option(help: ArgumentHelp("A file of settings with the place of the data.", valueName: "file"))
    var fromSettings: String?
    @Option(
        help: ArgumentHelp(
            "The new place: a directory that is missing or empty, or postgres://… of an empty database.",
            valueName: "place"))
    var to: String?
    @Option(help: ArgumentHelp("The bucket of the cluster that is the new place.", valueName: "uri"))
    var toChunks: String?
    @Option(help: ArgumentHelp("A file of settings with the new place.", valueName: "file")) var toSettings: String?
    @Flag(help: "End a migration: make the data at the old place usable there again.") var cancel = false
    @OptionGroup var confirmation: ConfirmOption
    @Flag(help: "Print what was done as JSON.") var json = false

    func validate() throws { _ = try ends() }

    func run() async throws {
        // Read before privileges are dropped: the settings files may be root's alone.
        let (source, target) = try ends()
        let log = serverLogger(.warning)
        do {
            for end in [source, target].compactMap(\.self) { end.warn(log) }
            try prepareUser(source, target)
            if let target {
                try await migrate(try ServerPlace(source.place), try ServerPlace(target.place), log)
            } else {
                try await cancel(try ServerPlace(source.place), log)
            }
        } catch let error as StorageError { throw Failure(error.message) }
    }

    /// Returns the places named by the options; no new one with `--cancel`.
    private func ends() throws -> (source: PlaceSettings, target: PlaceSettings?) {
        let hasTarget = [to, toChunks, toSettings].contains { $0 != nil }
        guard cancel != hasTarget else {
            throw ValidationError("Name the new place with --to or --to-settings, or pass --cancel.")
        }
        let environment = ProcessInfo.processInfo.environment
        do {
            let source = try PlaceSettings(
                endOfMigration: "from", place: from, chunks: fromChunks,
                file: fromSettings.map { try SettingsFile(reading: $0) }, environment: environment)
            guard hasTarget else { return (source, nil) }
            let target = try PlaceSettings(
                endOfMigration: "to", place: to, chunks: toChunks,
                file: toSettings.map { try SettingsFile(reading: $0) }, environment: environment)
            return (source, target)
        } catch let problem as SettingsProblem { throw ValidationError(problem.description) }
    }

    /// Becomes the directory's owner, and creates a new directory for that user.
    private func prepareUser(_ source: PlaceSettings, _ target: PlaceSettings?) throws {
        switch (source.place, target?.place) {
        case (.directory(let from), let target):
            if case .directory(let to) = target { try createFolder(to, forOwnerOf: from) }
            try becomeOwner(of: from)
        case (.cluster, .directory(let to)): try becomeOwner(of: to)
        case (.cluster, _): break
        }
    }

    private func migrate(_ source: ServerPlace, _ target: ServerPlace, _ log: Logger) async throws {
        let line = MigrationLine()
        let report = try await ServerMigration.run(from: source, to: target, log: log) { line.show($0) }
        line.end()
        if json { return try printJSON(report) }
        print(
            """
            Moved \(counted(Int(clamping: report.rows["account"] ?? 0), "account")) with \
            \(counted(Int(clamping: report.rows["entry"] ?? 0), "entry", "entries")) and \
            \(counted(Int(clamping: report.rows["chunk"] ?? 0), "chunk")) to \(target).
            """)
        if report.lostChunks > 0 {
            print(
                "\(counted(report.lostChunks, "chunk")) was lost or damaged; devices that have the bytes send them again."
            )
        }
        print("Serve \(target) now, at the address of the old server. \(source) is not served any more.")
    }

    private func cancel(_ source: ServerPlace, _ log: Logger) async throws {
        try confirmation.confirm(
            "Use the data in \(source) there again, without anything that devices did at the new place?")
        let wasMoved = try await ServerMigration.cancel(from: source, log: log)
        if json { return try printJSON(["wasMoved": wasMoved]) }
        print(
            "The data in \(source) can be used there again. What was copied elsewhere cannot be continued; remove it.")
        if wasMoved { print("Devices that have seen more than this data has ask for `ubiquity reset`.") }
    }
}

/// Prints a value as JSON, with sorted keys.
func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// Shows the progress of a migration on a terminal, at most ten times a second.
private final class MigrationLine: Sendable {
    private let limit = LineLimit()

    func show(_ report: MigrationReport) {
        guard limit.isDue() else { return }
        let text =
            report.totalChunks == 0
            ? "\(report.copiedRows) rows copied"
            : report.verifiedChunks > 0
                ? "\(report.verifiedChunks) of \(report.totalChunks) chunks verified"
                : "\(report.chunks) of \(report.totalChunks) chunks, \(ByteCount(report.copiedBytes)) copied"
        FileHandle.standardError.write(Data("\r\(text)\u{1B}[K".utf8))
    }

    func end() { if limit.isTerminal { FileHandle.standardError.write(Data("\n".utf8)) } }
}
