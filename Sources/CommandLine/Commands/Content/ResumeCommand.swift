import ArgumentParser

/// `ubiquity resume`: uploads the edits since `ubiquity pause`.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Upload what was paused, and go on.",
        discussion: "What is in a paused folder is resumed with that folder only.")

    @Argument(help: "What to resume.", completion: .file())
    var paths: [String]

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws { try PauseAttribute.set(false, of: paths, verb: "Resumed", json: json) }
}
