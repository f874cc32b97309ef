import ArgumentParser
import DaemonProtocol

/// `ubiquity resolve`: ends a conflict on every device.
struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Resolve the conflict of a document, on every device.",
        discussion: """
            --keep current drops the other versions, --keep VERSION makes that one current (\"ubiquity conflicts\" \
            lists them), --keep both makes each a document of its own.
            """)

    @Argument(help: "The document, or one of its conflict siblings.", completion: .file())
    var path: String

    @Option(help: ArgumentHelp("Which version to keep.", valueName: "current|VERSION|both"))
    var keep: String

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let path: String
        /// The number of versions no longer in conflict.
        let resolved: UInt64
    }

    func validate() throws {
        guard !keep.isEmpty else { throw ValidationError("--keep takes current, both or a version") }
    }

    func run() throws {
        let place = try MountLocator.current().place(of: path)
        var connection = try DaemonConnection.open(place.record)
        let request = ResolveRequest(path: place.path, keep: ConflictChoice(keep))
        let resolved = try connection.call(request).resolved
        let shown = place.record.display(place.path)
        if json { return print(try StatusJSON.text(Document(path: shown, resolved: resolved))) }
        print("Resolved \(shown) (\(counted(resolved, "version"))).")
    }
}
