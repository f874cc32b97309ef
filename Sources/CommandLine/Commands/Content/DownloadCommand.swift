import ArgumentParser
import DaemonProtocol

/// `ubiquity download`: fetches bytes before something needs them.
struct DownloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Fetch the bytes of documents to this device.",
        discussion: """
            Of a folder, everything below it. Returns when the downloads are queued; with --wait, when done. A wait in which \
            nothing comes for 15 seconds ends with exit status 4 if the cloud cannot be reached, else with 5. Downloads stay \
            queued then, and after Ctrl-C, and go on by themselves.
            """)

    @Argument(help: "What to download.", completion: .file())
    var paths: [String]

    @Flag(help: "Return only when the bytes are here.")
    var wait = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        try ItemsRequest.run(paths, verb: wait ? "Downloaded" : "Downloading", wait: wait, json: json) {
            DownloadRequest(paths: $0, wait: wait)
        }
    }
}
