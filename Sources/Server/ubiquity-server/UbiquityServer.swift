import ArgumentParser
import Basics
import CloudServer
import DaemonProtocol
import Foundation
import Glibc
import Logging
import ServerStorage

/// `ubiquity-server`: serves a cloud, and lets its owner control access.
@main
struct UbiquityServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ubiquity-server",
        abstract: "A cloud of your own, for your devices.",
        discussion: """
            Without a subcommand it serves: ubiquity-server --data DIR. Everything is kept in that one directory. \
            With --database and --chunks any number of processes serve one PostgreSQL database and one bucket. \
            SIGTERM and SIGINT shut it down cleanly.
            """,
        version: ProgramVersion.current,
        subcommands: [
            ServeCommand.self, AccountCommand.self, DeviceCommand.self, SessionCommand.self, LinkCommand.self,
            ContainerCommand.self, BackupCommand.self, RestoreCommand.self, CollectCommand.self,
            RestoredCommand.self, MetricsTokenCommand.self, MigrateCommand.self, StorageCheckCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)

    static func main() async {
        // Files created by this program are accessible to their owner only.
        umask(0o077)
        CoreFiles.forbid()
        do {
            var command = try command(Array(CommandLine.arguments.dropFirst()))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch { exit(withError: error) }
    }

    /// Returns the command described by the arguments and, for a server, the settings file.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        // `serve` is the default, so the parser takes any other word for an argument of it.
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        if let typed = arguments.first, !typed.hasPrefix("-"), typed != "help", !names.contains(typed) {
            throw ValidationError("There is no command '\(typed)'. \"ubiquity-server --help\" lists the commands.")
        }
        let command = try parseAsRoot(arguments)
        guard let serve = command as? ServeCommand, let settings = try serve.place.settingsFile() else {
            return command
        }
        return try parseAsRoot(arguments + settings.arguments(beside: arguments))
    }
}

/// Requests confirmation before an irreversible action.
struct ConfirmOption: ParsableArguments {
    @Flag(help: "Do not ask.") var yes = false

    func confirm(_ question: String) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1 else { throw Failure("There is no terminal to ask on; pass --yes.") }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw Failure("Not confirmed; nothing was changed.")
        }
    }
}

extension ParsableCommand {
    /// Runs `body` with the server's storage; with a directory, as the directory's owner. Servers may run on the
    /// storage at the same time, unless `alone`: then it is refused if a server runs on the directory, or uses the
    /// database.
    func withStore(
        _ options: PlaceOption, mayCreate: Bool = false, alone: Bool = false,
        _ body: (ServerStore) async throws -> Void
    ) async throws {
        let settings = try options.resolved()
        do {
            if case .directory(let directory) = settings.place { try becomeOwner(of: directory) }
            let log = serverLogger(.warning)
            settings.warn(log)
            let store = try ServerStore(
                try ServerPlace(settings.place), serving: alone, isAlone: alone, mayCreate: mayCreate, log: log)
            do { try await body(store) } catch {
                try await store.close()
                throw error
            }
            try await store.close()
        } catch let error as StorageError { throw Failure(error.message) }
    }
}

/// An error ending the program with status 1.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
