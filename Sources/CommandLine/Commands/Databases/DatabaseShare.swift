import ArgumentParser
import DaemonProtocol

/// `ubiquity database share`: begins to share a file.
struct DatabaseShare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Share a SQLite file of this device.",
        discussion: """
            Triggers are added to its tables, and tables whose names begin with _ubq_; all programs can go on using it. It is \
            put into WAL mode. All tables are shared, also those that are added later, unless --table names some.

            Columns merge by the later value. --counter sums what devices add, --set merges JSON arrays, --conflict keeps each \
            value until "ubiquity database resolve" chooses one. --unify makes one row of two that agree on these columns.
            """)

    @Argument(help: "The SQLite file.", completion: .file()) var file: String

    @Option(help: ArgumentHelp("What other devices attach to.", valueName: "name")) var name: String

    @Argument(help: "The mount of this path (default: the only one, or ~/MobileDocuments).", completion: .directory)
    var mount: String?

    @OptionGroup var place: DatabaseContainer

    @Option(help: ArgumentHelp("A table to share; may be repeated.", valueName: "table")) var table: [String] = []
    @Flag(help: "Share all tables, the default.") var all = false
    @Option(help: ArgumentHelp("Columns on which rows become one.", valueName: "table:col,…")) var unify: [String] = []
    @Option(help: ArgumentHelp("A column that devices add to.", valueName: "table.col")) var counter: [String] = []
    @Option(help: ArgumentHelp("A column with a JSON array of members.", valueName: "table.col")) var set: [String] = []
    @Option(help: ArgumentHelp("A column that keeps each value.", valueName: "table.col")) var conflict: [String] = []
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard !all || table.isEmpty else { throw ValidationError("Give --all or --table, not both.") }
        _ = try tables()
    }

    /// Returns the tables named by the options, with their declarations.
    func tables() throws -> [ShareDatabaseRequest.Table] {
        var tables = TableDeclarations(named: table)
        for text in unify { try tables.unify(text) }
        for text in counter { try tables.declare(text, "--counter", \.counters) }
        for text in set { try tables.declare(text, "--set", \.sets) }
        for text in conflict { try tables.declare(text, "--conflict", \.conflicts) }
        return tables.all
    }

    func run() throws {
        let path = try DatabaseArgument.file(file)
        var connection = try DaemonConnection.open(try MountSelection.single(mount, .current()))
        let request = ShareDatabaseRequest(
            name: name, container: place.container, path: path, tables: try tables(), sharesAll: table.isEmpty)
        let shared = try connection.call(request).database
        if json { return print(try StatusJSON.text(DatabaseText.Document(databases: [shared]))) }
        print("Shared \(printable(shared.path)) as \(printable(shared.name)) (\(DatabaseText.tables(shared))).")
        print("On another device: ubiquity database attach \"\(printable(shared.name))\" FILE")
    }
}
