import CFaults
import Faults
import Glibc

/// Asks the documents of a folder again and again whether the cloud has them, and notes each yes with the generation that it was
/// said of. Ends when the folder does not answer any more.
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
        // Until its mount is gone.
        while let names = try? FolderLook.names(folder) {
            // Names that are moved or removed can not be asked for later.
            for name in names where !name.contains(".") { try sample(name) }
            usleep(5_000)
        }
        print("samples \(samples)")
    }

    /// Both looks at the bytes must agree, so that the answer between them is about these.
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
