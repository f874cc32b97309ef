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
            SIGTERM and SIGINT stop it in order.
            """,
        version: ProgramVersion.current,
        subcommands: [
            ServeCommand.self, AccountCommand.self, DeviceCommand.self, ContainerCommand.self, BackupCommand.self,
            RestoreCommand.self, CollectCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)
}

/// Where the server keeps everything.
struct DataOption: ParsableArguments {
    @Option(help: ArgumentHelp("The directory that has everything; made when it is not there.", valueName: "dir"))
    var data: String
}

/// Asks before what can not be undone.
struct ConfirmOption: ParsableArguments {
    @Flag(help: "Do not ask.") var yes = false

    func confirm(_ question: String) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1 else { throw Failure("Not confirmed. Say --yes where nobody can be asked.") }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw Failure("Not confirmed; nothing was changed.")
        }
    }
}

extension ParsableCommand {
    /// Runs `body` with the directory's storage beside a server that may be running, and says on failure what went wrong.
    func withStore(_ options: DataOption, _ body: (ServerStore) async throws -> Void) async throws {
        do {
            let store = try ServerStore(path: options.data, serving: false, log: serverLogger(.warning))
            do { try await body(store) } catch {
                try await store.close()
                throw error
            }
            try await store.close()
        } catch let error as StorageError { throw Failure(error.message) }
    }
}

/// What ends the program with status 1.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
