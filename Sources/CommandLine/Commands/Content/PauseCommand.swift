import ArgumentParser

/// `ubiquity pause`: keeps edits on this device until `ubiquity resume`.
struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Keep edits on this device for now.",
        discussion: """
            Nothing at or below the PATHs is uploaded, renamed or deleted in the cloud until `ubiquity resume`. Changes \
            of other devices are still shown, and documents can still be downloaded. To pause all of a program's documents, \
            name its container.
            """)

    @Argument(help: "What to pause.", completion: .file())
    var paths: [String]

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws { try PauseAttribute.set(true, of: paths, verb: "Paused", json: json) }
}
