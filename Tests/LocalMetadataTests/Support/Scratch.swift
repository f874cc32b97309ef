import Foundation
import LocalMetadata
import Logging

/// A database in a separate folder.
final class Scratch {
    let path: String
    let metadata: MetadataDatabase
    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "/ubiquity-metadata-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        path = directory + "/metadata.sqlite"
        metadata = try MetadataDatabase(path: path, log: Logger(label: "test"))
    }

    deinit {
        try? metadata.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

}
