import ArgumentParser
import DaemonProtocol

/// `ubiquity resolve`: ends a conflict on every device.
struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "End the conflict of a document, on every device.",
        discussion: """
            --keep current drops the other versions, --keep VERSION makes that one current (\"ubiquity conflicts\" \
            lists them), --keep both makes each a document of its own.
            """)

    @Argument(help: "The document, or one of its conflict siblings.", completion: .file())
    var path: String

    @Option(help: ArgumentHelp("What stays.", valueName: "current|VERSION|both"))
    var keep: String

    func validate() throws {
        guard !keep.isEmpty else { throw ValidationError("--keep takes current, both or a version") }
    }

    func run() throws {
        let place = try MountLocator.current().place(of: path)
        var connection = try DaemonConnection.open(place.record)
        let request = ResolveRequest(path: place.path, keep: ConflictChoice(keep))
        let answer = try connection.call(request)
        print("Resolved \(place.record.display(place.path)) (\(counted(answer.resolved, "version"))).")
    }
}
