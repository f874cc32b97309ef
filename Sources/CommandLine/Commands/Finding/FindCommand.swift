import ArgumentParser
import DaemonProtocol
import Glibc

/// `ubiquity find`: finds documents by their attributes, once or as a live query.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find documents by name, size, time or state.",
        discussion: """
            PREDICATE is as in the format strings of NSPredicate (docs/QUERIES.md): \
            "name LIKE[c] '*.pdf' AND size > 1000000", "status == 'notDownloaded'", "NOT isUploaded == TRUE", \
            "tags CONTAINS 'tax'", "TRUEPREDICATE" for all. Words that are not a predicate are searched for in names, ignoring \
            case: "plan" is "name CONTAINS[cd] 'plan'", and "*.pdf" is the whole name. The local database is searched: nothing is downloaded.

            The results are documents and folders; a package is one document, and the items in it are not results. Conflict versions are \
            results too; "conflictOf == NULL" leaves them out. Control characters in names are shown as ? on a terminal; a pipe or a file \
            gets names byte by byte.

            With --live it runs until Ctrl-C and prints items that start to match (+), change (~) and no longer match (-).
            """)

    enum Scope: String, ExpressibleByArgument, CaseIterable { case documents, data, all }

    enum SortKey: String, ExpressibleByArgument, CaseIterable { case name, path, size, modified, created }

    @Argument(help: "What to find.")
    var predicate: String

    @Argument(help: "The same as --mount.", completion: .directory)
    var path: String?

    @OptionGroup var mount: MountOption

    @Option(help: "What is in Documents folders, what is not, or both.")
    var scope: Scope = .all

    @Option(help: ArgumentHelp("Only in this container; may be repeated.", valueName: "name"))
    var container: [String] = []

    @Option(help: "Sort the results by this (default: unsorted).")
    var sort: SortKey?

    @Flag(help: "Reverse the order.")
    var reverse = false

    @Flag(help: "Keep running, and print changes.")
    var live = false

    @Flag(name: .customLong("print0"), help: "End each path with a NUL byte instead of a newline, for xargs -0.")
    var endsWithNull = false

    @Flag(help: "Print JSON: a document, or with --live a line for each event.")
    var json = false

    func validate() throws {
        guard !endsWithNull || !live && !json else {
            throw ValidationError("--print0 excludes --live and --json.")
        }
    }

    func run() throws {
        let record = try mount.record(path)
        var connection = try DaemonConnection.open(record)
        let request = FindRequest(
            predicate: predicate, scopes: scope == .all ? nil : [FindScope(rawValue: scope.rawValue) ?? .all],
            containers: container.isEmpty ? nil : container, live: live ? true : nil,
            acceptsWords: true)
        var output = FoundOutput(
            record: record, sort: sort, isReversed: reverse, isLive: live, isJSON: json, endsWithNull: endsWithNull)
        try connection.follow(request) { event throws(CommandFailure) in
            if case .found(let found) = event { try output.show(found) }
        }
        try output.end()
    }
}
