import ArgumentParser
import DaemonProtocol

/// `ubiquity resume`: uploads the edits since `ubiquity pause`, or drops them.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume the sync of paused documents.",
        discussion: """
            Items in a paused folder are resumed only together with that folder. With --drop-edits the edits of the PATHs, \
            paused or not, are replaced by the versions in the cloud: also those that a device keeps that may only read.
            """)

    @Argument(help: "What to resume.", completion: .file())
    var paths: [String]

    @Flag(help: "Replace the edits of documents by the versions in the cloud.")
    var dropEdits = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        guard dropEdits else { return try PauseAttribute.set(false, of: paths, verb: "Resumed", json: json) }
        try DroppedEdits.run(paths, json: json)
    }
}

/// The edits replaced by the cloud's versions in `resume --drop-edits`.
private enum DroppedEdits {
    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        var items: [Outcome] = []
    }

    private struct Outcome: Encodable {
        let path: String
        let failure: DaemonFailure?
    }

    /// The seconds to wait for the cloud.
    private static let patience = 15.0

    /// Drops the edits of each path and prints the outcome. Throws the failures of all failed paths; the remaining
    /// paths are done.
    static func run(_ paths: [String], json: Bool) throws {
        var document = Document()
        for group in try MountSelection(paths, .current()).groups {
            var connection = try DaemonConnection.open(group.record)
            for path in group.paths {
                var failure: DaemonFailure?
                do {
                    _ = try connection.call(ResumeRequest(path: path, edits: .drop, timeout: patience))
                } catch {
                    guard let cause = error.causes.first, error.status != .notAnswering else { throw error }
                    failure = cause
                }
                let shown = group.record.display(path)
                document.items.append(Outcome(path: shown, failure: failure))
                if failure == nil, !json { print("Dropped the edits of \(shown).") }
            }
        }
        if json { print(try StatusJSON.text(document)) }
        if let failure = CommandFailure(document.items.compactMap(\.failure)) { throw failure }
    }
}
