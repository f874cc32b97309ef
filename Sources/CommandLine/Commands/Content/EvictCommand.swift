import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity evict`: frees local space; the documents stay, their bytes come back when opened.
struct EvictCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict", abstract: "Drop the local bytes of documents that are in the cloud.",
        discussion: "Refused for what is not uploaded, open or pinned: exit status 6, and nothing of that item is lost."
    )

    @Argument(help: "What to evict; of a folder, everything below it.", completion: .file())
    var paths: [String]

    func run() throws {
        try ItemsRequest.run(
            paths, verb: "Evicted",
            progress: { ["Evicting: \(ByteCount($0.cache.bytes)) of documents are still local"] }
        ) { .evict(EvictRequest(paths: $0)) }
    }
}
