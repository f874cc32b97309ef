import ArgumentParser
import DaemonProtocol

/// `ubiquity evict`: frees local space; the documents stay, and their bytes are downloaded when opened.
struct EvictCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict", abstract: "Drop the local bytes of documents that are in the cloud.",
        discussion: """
            A download that is under way is stopped. An item that is not uploaded, open or pinned is refused with exit status 6, \
            and loses nothing; in a folder such items are kept and named, and the others are evicted.
            """
    )

    @Argument(help: "What to evict; for a folder, everything below it.", completion: .file())
    var paths: [String]

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        try ItemsRequest.run(paths, verb: "Evicted", json: json) { EvictRequest(paths: $0) }
    }
}
