import ArgumentParser

/// `ubiquity resume`: uploads the edits since `ubiquity pause`.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume the sync of paused documents.",
        discussion: "Items in a paused folder are resumed only together with that folder.")

    @Argument(help: "What to resume.", completion: .file())
    var paths: [String]

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws { try PauseAttribute.set(false, of: paths, verb: "Resumed", json: json) }
}
