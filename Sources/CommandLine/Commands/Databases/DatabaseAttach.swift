import ArgumentParser
import DaemonProtocol

/// `ubiquity database attach`: a file of this device takes part in a database shared by another device.
struct DatabaseAttach: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Attach a file of this device to a database that another one shares.",
        discussion: """
            A file that is absent or empty gets the tables and their rows. One that has the tables already has to have the same \
            keys, unique columns and references; the rows in it are sent to the other devices only with --send-rows.
            """)

    @Argument(help: "The name that it was shared with (\"ubiquity database list\").") var name: String
    @Argument(help: "The SQLite file; it need not exist.", completion: .file()) var file: String

    @Argument(help: "The mount of this path (default: the only one, or ~/MobileDocuments).", completion: .directory)
    var mount: String?

    @OptionGroup var place: DatabaseContainer

    @Flag(help: "Send the rows that the file has to the other devices.") var sendRows = false
    @Option(help: ArgumentHelp("Which one, where several devices shared one of that name.", valueName: "id"))
    var identifier: String?
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let path = try DatabaseArgument.file(file)
        var connection = try DaemonConnection.open(try MountSelection.single(mount, .current()))
        let request = AttachDatabaseRequest(
            name: name, container: place.container, path: path, identifier: identifier, sendsRows: sendRows)
        let attached = try connection.call(request).database
        if json { return print(try StatusJSON.text(DatabaseText.Document(databases: [attached]))) }
        print("Attached \(printable(attached.path)) to \(printable(attached.name)) (\(DatabaseText.tables(attached))).")
        print("Rows arrive in the background; \"ubiquity database status\" shows how far it is.")
    }
}
