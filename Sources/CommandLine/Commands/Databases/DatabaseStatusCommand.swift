import ArgumentParser
import DaemonProtocol

/// `ubiquity database list`: the databases of this device and of the cloud.
struct DatabaseList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List shared databases, attached or not.")

    @Argument(help: "The mount of this path (default: the only one, or ~/MobileDocuments).", completion: .directory)
    var directory: String?

    @OptionGroup var mount: MountOption
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        var connection = try DaemonConnection.open(try mount.record(directory))
        let found = try connection.call(DatabasesRequest())
        if json {
            return print(
                try StatusJSON.text(DatabaseText.Document(databases: found.databases, available: found.available)))
        }
        let table = DatabaseText.table(found)
        guard let table else { return print("No shared databases. \"ubiquity database share\" shares one.") }
        table.lines(Terminal.style).forEach { print($0) }
    }
}

/// `ubiquity database status`: the sharing state of this device's databases.
struct DatabaseStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether shared databases are in step with the cloud, and why not.")

    @Argument(help: "The database, or its file (default: all of this device).") var name: String?
    @Option(help: ArgumentHelp("Only those of this container.", valueName: "name")) var container: String?
    @OptionGroup var mount: MountOption
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        var connection = try DaemonConnection.open(try mount.record())
        let choice = try DatabaseArgument.database(name, container, &connection)
        let folder = choice.container?.replacing(".", with: "~")
        let all = try connection.call(DatabasesRequest()).databases
        let found = all.filter {
            (choice.name == nil || $0.name == choice.name) && (folder == nil || $0.container == folder)
        }
        if found.isEmpty, let name = choice.name {
            let names = all.map { printable($0.name) }.joined(separator: ", ")
            throw CommandFailure(
                .failed, "this device has no shared database \(printable(name))",
                advice: names.isEmpty ? "\"ubiquity database list\" lists those of the cloud." : "It has: \(names).")
        }
        if json { return print(try StatusJSON.text(DatabaseText.Document(databases: found))) }
        guard !found.isEmpty else {
            return print("No database of this device is shared. \"ubiquity database list\" lists those of the cloud.")
        }
        for database in found { DatabaseText.lines(database, Terminal.style).forEach { print($0) } }
    }
}

/// `ubiquity database detach`: ends sharing on this device.
struct DatabaseDetach: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detach", abstract: "End sharing of a file on this device; its rows stay.",
        discussion: """
            Removes what was added to the file: triggers, and tables whose names begin with _ubq_. The other devices go on. \
            Transactions that the cloud folder does not have yet are written first; --discard gives them up where that is \
            not possible.
            """)

    @Argument(help: "The database, or its file.") var name: String
    @Option(help: ArgumentHelp("The container of the database, where several have that name.", valueName: "name"))
    var container: String?
    @OptionGroup var mount: MountOption
    @Flag(help: "Give up transactions that no other device has, where they cannot be written.") var discard = false

    func run() throws {
        var connection = try DaemonConnection.open(try mount.record())
        let choice = try DatabaseArgument.database(name, container, &connection)
        let request = DetachDatabaseRequest(
            name: choice.name ?? name, container: choice.container, discardsUnpublished: discard)
        _ = try connection.call(request)
        print(
            """
            Detached \(printable(request.name)). Its file is an ordinary database again: the tables with their constraints, the rows, and the \
            indexes stay, also those that came from other devices.
            """)
    }
}
