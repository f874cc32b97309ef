import ArgumentParser
import CloudModel
import DaemonProtocol

/// `ubiquity database history`: who wrote the parts of a row.
struct DatabaseHistory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show which device wrote each column of a row, and what was replaced.",
        discussion: """
            Values that a device replaced without knowing them are listed for \(Retention.standard). To bring one back, write it again with any \
            program.
            """)

    @Argument(help: "The table.") var table: String
    @Argument(help: "The row's primary key: a value for each of its columns.") var key: [String]
    @OptionGroup var choice: DatabaseChoice
    @Flag(help: "Print JSON.") var json = false

    private struct Document: Encodable {
        let format = 1
        let history: DatabaseHistoryResponse
    }

    func run() throws {
        var connection = try DaemonConnection.open(try choice.mount.record())
        let database = try DatabaseArgument.database(choice.database, choice.container, &connection)
        let request = DatabaseHistoryRequest(
            name: database.name, container: database.container, table: table, key: key)
        let history = try connection.call(request)
        if json { return print(try StatusJSON.text(Document(history: history))) }
        Self.lines(history, Terminal.style).forEach { print($0) }
    }

    static func lines(_ history: DatabaseHistoryResponse, _ style: TextStyle) -> [String] {
        var lines = [style.bold("\(printable(history.table)) \(DatabaseText.key(history.key))")]
        lines.append("  made by \(DatabaseText.origin(history.created))")
        if let deleted = history.deleted { lines.append("  deleted by \(DatabaseText.origin(deleted))") }
        if let aside = history.aside { lines.append("  not in its table: \(printable(aside))") }
        var table = TextTable([("  COLUMN", .left), ("VALUE", .left), ("WRITTEN BY", .left)])
        for column in history.columns {
            let rows = [("  \(printable(column.name))", column.current)] + column.others.map { ("  or", $0) }
            for (name, candidate) in rows {
                table.append(
                    [name, DatabaseText.text(candidate.value), DatabaseText.origin(candidate.origin)]
                        .map { TextTable.Cell($0) })
            }
        }
        lines += table.lines(style)
        if !history.lost.isEmpty { lines.append("  replaced or refused unseen:") }
        return lines + history.lost.map { "    \(DatabaseText.lines($0))" }
    }
}

/// `ubiquity database resolve`: lists pending decisions, and decides.
struct DatabaseResolve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "List what waits for a decision, or choose a value on every device.",
        discussion: """
            Without TABLE: lists columns with several values (declared with --conflict), rows that are not in their table, and \
            values that were replaced unseen. With TABLE and KEY, --column and --keep or --value choose the value of a column; \
            the others are dropped on all devices.
            """)

    @Argument(help: "The table.") var table: String?
    @Argument(help: "The row's primary key: a value for each of its columns.") var key: [String] = []
    @Option(help: "The column to decide.") var column: String?
    @Option(help: ArgumentHelp("Keep the current value, or that of a device.", valueName: "current|device"))
    var keep: String?
    @Option(help: "Set another value.") var value: String?
    @OptionGroup var choice: DatabaseChoice
    @Flag(help: "Print JSON.") var json = false

    private struct Document: Encodable {
        let format = 1
        let review: DatabaseReviewResponse
    }

    func validate() throws {
        guard table != nil else {
            guard column == nil, keep == nil, value == nil else {
                throw ValidationError("Name the row: TABLE KEY --column COLUMN --keep current|DEVICE.")
            }
            return
        }
        guard !key.isEmpty, column != nil, (keep == nil) != (value == nil) else {
            throw ValidationError("A decision needs TABLE KEY --column COLUMN, and --keep or --value.")
        }
    }

    func run() throws {
        var connection = try DaemonConnection.open(try choice.mount.record())
        let database = try DatabaseArgument.database(choice.database, choice.container, &connection)
        guard let table, let column else {
            let request = DatabaseReviewRequest(name: database.name, container: database.container)
            let review = try connection.call(request)
            if json { return print(try StatusJSON.text(Document(review: review))) }
            return Self.lines(review, Terminal.style).forEach { print($0) }
        }
        let request = ResolveDatabaseRequest(
            name: database.name, container: database.container, table: table, key: key, column: column,
            device: keep == "current" ? nil : keep, value: value)
        _ = try connection.call(request)
        print("Resolved \(printable(table)).\(printable(column)) of \(printable(key.joined(separator: ", "))).")
    }

    static func lines(_ review: DatabaseReviewResponse, _ style: TextStyle) -> [String] {
        var lines: [String] = []
        for conflict in review.conflicts {
            lines.append(
                style.bold(
                    "\(printable(conflict.table)) \(DatabaseText.key(conflict.key)), column \(printable(conflict.column)): several values"
                ))
            lines.append("  \(candidate(conflict.current)), current")
            lines += conflict.others.map { "  \(candidate($0))" }
        }
        for row in review.aside {
            lines.append(
                style.bold("\(printable(row.table)) \(DatabaseText.key(row.key)): not in its table")
                    + " (\(DatabaseText.origin(row.origin)))")
            lines.append("  \(printable(row.reason))")
        }
        for lost in review.lost {
            lines.append(
                style.bold("\(printable(lost.table)) \(DatabaseText.key(lost.key)): replaced or refused unseen"))
            lines.append("  \(DatabaseText.lines(lost))")
        }
        if lines.isEmpty { return ["Nothing of \(printable(review.name)) waits for a decision."] }
        let limit = DatabaseReviewRequest.limit
        if [review.conflicts.count, review.aside.count, review.lost.count].contains(limit) {
            lines.append("(The first \(limit) of each kind.)")
        }
        return lines
    }

    private static func candidate(_ candidate: DatabaseCandidate) -> String {
        let this = candidate.origin.isThisDevice ? " (this device)" : ""
        return "\(DatabaseText.text(candidate.value)) by \(printable(candidate.origin.device))\(this), "
            + LocalTime.text(candidate.origin.time)
    }
}
