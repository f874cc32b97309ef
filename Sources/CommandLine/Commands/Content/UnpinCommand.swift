import ArgumentParser
import DaemonProtocol

/// `ubiquity unpin`: removes the item's own pin; it then inherits the parent folder's.
struct UnpinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin", abstract: "Let documents be evicted again when space is short.")

    @Argument(help: "What to unpin.", completion: .file())
    var paths: [String]

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        try ItemsRequest.run(paths, verb: "Unpinned", json: json) { PinRequest(paths: $0, pin: .inherited) }
    }
}
