import ArgumentParser
import DaemonProtocol

/// `ubiquity database`: SQLite files whose rows every device shares.
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database", abstract: "Share the rows of a SQLite file with your other devices.",
        discussion: """
            The file stays where it is, on each device, outside of the mount; any program may use it. What programs commit \
            travels through the cloud, also what they commit offline, and is merged on all devices in the same way. Share a \
            file on one device, and attach one on each other device:

              ubiquity database share ~/ledger.sqlite --name ledger
              ubiquity database attach ledger ~/ledger.sqlite

            Each table needs a primary key that no other device makes, such as a UUID as text, and not a counted number. \
            Rows that two devices change at the same time keep the later value of each column; "history" shows what was \
            replaced.
            """,
        subcommands: [
            DatabaseShare.self, DatabaseAttach.self, DatabaseList.self, DatabaseStatusCommand.self,
            DatabaseHistory.self,
            DatabaseResolve.self, DatabaseDetach.self,
        ])
}

/// The option selecting the container of a new shared database.
struct DatabaseContainer: ParsableArguments {
    @Option(help: ArgumentHelp("The container whose devices share it.", valueName: "name"))
    var container = "CloudDocs"
}

/// The options selecting a shared database of this device.
struct DatabaseChoice: ParsableArguments {
    @Option(help: ArgumentHelp("The database, or its file (default: the only one).", valueName: "name"))
    var database: String?

    @Option(help: ArgumentHelp("The container of the database, where several have that name.", valueName: "name"))
    var container: String?

    @OptionGroup var mount: MountOption
}

/// Names of databases and of files on the command line.
enum DatabaseArgument {
    /// Returns the absolute path of a file outside all mounts.
    static func file(_ argument: String) throws(CommandFailure) -> String {
        guard !argument.isEmpty else { throw CommandFailure(.failed, "the name of the file is empty") }
        let locator = try MountLocator.current()
        let path = String(decoding: locator.absolutePath(rawArgument(argument)), as: UTF8.self)
        guard !locator.isInMount(argument) else {
            throw CommandFailure(
                .refused, "the file is in the cloud", path: path,
                advice:
                    "A shared database stays on each device, and its transactions travel. Move it out with \"ubiquity move-out\"."
            )
        }
        return path
    }

    /// Returns the name and the container of a database given by its name or its file.
    static func database(
        _ argument: String?, _ container: String?, _ connection: inout DaemonConnection
    ) throws -> (name: String?, container: String?) {
        // No name has these.
        guard let argument, argument.contains("/") || argument.contains(".") else { return (argument, container) }
        let locator = try MountLocator.current()
        let typed = locator.absolutePath(rawArgument(argument))
        let paths = [typed, locator.resolve(typed) ?? typed].map { String(decoding: $0, as: UTF8.self) }
        let found = try connection.call(DatabasesRequest()).databases
        guard let database = found.first(where: { paths.contains($0.path) }) else {
            throw CommandFailure(
                .failed, "no shared database has this file", path: paths[0],
                advice: "\"ubiquity database list\" lists them.")
        }
        return (database.name, database.container)
    }
}
