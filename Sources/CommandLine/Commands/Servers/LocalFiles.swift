import Basics
import DaemonProtocol

/// The local files of a server's mounts, and their removal.
struct LocalFiles {
    enum Wish { case keep, remove }

    private let mounts: [MountRecord]

    /// Selects mounts whose running daemons report this server as their cloud.
    init(of server: String) {
        mounts = MountRegistry.standard.records().filter { record in
            // An unresponsive daemon keeps its files.
            (try? Self.cloud(of: record)).map { Self.isSame($0, server) } ?? false
        }
    }

    private static func cloud(of record: MountRecord) throws(CommandFailure) -> String? {
        var connection = try DaemonConnection.open(record)
        let status = try connection.call(StatusRequest(paths: []))
        return status.mount.cloud.url
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        func plain(_ text: String) -> Substring {
            var text = text.lowercased()[...]
            while text.hasSuffix("/") { text = text.dropLast() }
            return text
        }
        return plain(one) == plain(other)
    }

    /// Evicts the local bytes of all items in the cloud. Items that are not uploaded, open or pinned stay.
    func remove() throws(CommandFailure) {
        if mounts.isEmpty {
            Terminal.note("no mount of that server is running; local bytes are removed only from running mounts")
        }
        for record in mounts {
            var connection = try DaemonConnection.open(record)
            let answer = try connection.call(EvictRequest(paths: [.root]))
            for outcome in answer.outcomes {
                print(ItemsRequest.sentence("Removed the local bytes of", outcome, record))
                guard let failure = outcome.failure else { continue }
                Terminal.note("some files stay in \(record.mount): \(failure.message)")
            }
        }
    }
}
