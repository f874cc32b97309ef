import ArgumentParser
import DaemonProtocol
import Foundation
import Glibc
import Logging
import ServerStorage

/// `ubiquity-server`: serves a cloud, and lets its owner say who may use it.
@main
struct UbiquityServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ubiquity-server",
        abstract: "A cloud of your own, for your devices.",
        discussion: """
            Without a subcommand it serves: ubiquity-server --data DIR. Everything is kept in that one directory. \
            SIGTERM and SIGINT shut it down cleanly.
            """,
        version: ProgramVersion.current,
        subcommands: [
            ServeCommand.self, AccountCommand.self, DeviceCommand.self, SessionCommand.self, LinkCommand.self,
            ContainerCommand.self, BackupCommand.self, RestoreCommand.self, CollectCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)

    static func main() async {
        // Files that this program creates are accessible to their owner only.
        umask(0o077)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch { exit(withError: error) }
    }
}

/// The option that names the server's data directory.
struct DataOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The directory with all data of the server. Only `serve` and `account add` create it.", valueName: "dir"))
    var data: String
}

/// Requests confirmation before an action that cannot be undone.
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
    /// Runs `body` with the directory's storage, as the user to whom the directory belongs. A server may run on the directory at the same
    /// time.
    func withStore(
        _ options: DataOption, mayCreate: Bool = false, _ body: (ServerStore) async throws -> Void
    ) async throws {
        do {
            try becomeOwner(of: options.data)
            let store = try ServerStore(
                path: options.data, serving: false, mayCreate: mayCreate, log: serverLogger(.warning))
            do { try await body(store) } catch {
                try await store.close()
                throw error
            }
            try await store.close()
        } catch let error as StorageError { throw Failure(error.message) }
    }
}

/// An error that ends the program with status 1.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
