import ArgumentParser
import DaemonProtocol

/// `ubiquity download`: fetches bytes before something needs them.
struct DownloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Download documents to this device.",
        discussion: """
            For a folder, downloads everything below it. Returns when the downloads are queued; with --wait, when they are \
            complete. A wait in which no bytes arrive for 15 seconds ends with exit status 4 if the cloud cannot be reached, else \
            with 5. The downloads stay queued then, and continue in the background. Ctrl-C during the wait stops them; so does \
            `ubiquity evict`.
            """)

    @Argument(help: "What to download.", completion: .file())
    var paths: [String]

    @Flag(help: "Return only when the downloads are complete.")
    var wait = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        try ItemsRequest.run(paths, verb: wait ? "Downloaded" : "Downloading", wait: wait, json: json) {
            DownloadRequest(paths: $0, wait: wait)
        }
    }
}
