import Foundation

/// The directory shared by a test's devices as their cloud.
package struct TestCloud: Sendable {
    /// Absolute.
    package let directory: String
    private var hidden: String { "\(directory)-away" }

    package let url: String

    /// With a `url` the cloud is at that address, and the directory stays empty.
    init(directory: String, url: String? = nil) {
        self.directory = directory
        self.url = url ?? "file://\(directory)"
    }

    /// Takes the cloud offline for every device, like an unplugged cable.
    package func goOffline() throws { try FileManager.default.moveItem(atPath: directory, toPath: hidden) }

    package func goOnline() throws { try FileManager.default.moveItem(atPath: hidden, toPath: directory) }

    /// The content of the cloud: the bytes and names of all chunks, and the number of log entries.
    package struct Contents: Equatable, Sendable {
        package var chunks: Set<String> = []
        package var chunkBytes = 0
        package var logEntries = 0
    }

    /// Reads the cloud's directory as docs/BACKENDS.md describes it.
    package func contents() throws -> Contents {
        let root = URL(filePath: directory).appending(path: "containers")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.fileSizeKey])
        guard let files else { throw EndToEndError("the cloud cannot be read: \(directory)") }
        var contents = Contents()
        for case let file as URL in files {
            let values = try file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            guard values.isRegularFile == true, let size = values.fileSize else { continue }
            if file.pathComponents.contains("chunks") {
                contents.chunks.insert(file.path)
                contents.chunkBytes += size
            } else if file.pathComponents.contains("log"), file.lastPathComponent.allSatisfy(\.isNumber) {
                contents.logEntries += 1
            }
        }
        return contents
    }
}
