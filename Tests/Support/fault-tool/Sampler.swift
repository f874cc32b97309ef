import CFaults
import Faults
import Glibc

/// Queries repeatedly whether a folder's documents are uploaded, and records each uploaded document with its
/// generation. Ends when the folder is no longer readable.
struct Sampler: ~Copyable {
    private let recorder: Recorder
    private let folder: String
    private var samples = 0
    private var said: [String: Int] = [:]

    init(record: String, folder: String) throws(Failure) {
        recorder = try Recorder(path: record)
        self.folder = folder
    }

    mutating func run() throws {
        // Ends when the mount is gone.
        while let names = try? FolderLook.names(folder) {
            // Skips names with a dot: they are moved or removed, so they cannot be queried later.
            for name in names where !name.contains(".") { try sample(name) }
            usleep(5_000)
        }
        print("samples \(samples)")
    }

    /// Samples a document. The bytes before and after the query must be equal, so that the result is about them.
    private mutating func sample(_ name: String) throws {
        let path = "\(folder)/\(name)"
        guard case .success(.whole(_, let before)) = FolderLook.examine(path) else { return }
        var answer = [UInt8](repeating: 0, count: 16)
        let count = getxattr(path, "user.ubiquity.isUploaded", &answer, answer.count)
        guard case .success(.whole(_, let after)) = FolderLook.examine(path), before == after, count > 0 else { return }
        samples += 1
        if answer[0] == UInt8(ascii: "1"), said[name, default: -1] < before {
            said[name] = before
            try recorder.uploaded(name, before)
        }
    }
}
