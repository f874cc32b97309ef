import CloudModel
import CloudStorage
import Glibc
import Synchronization

extension CloudDirectory {
    /// See ``CloudContinuing/record(former:ends:)``.
    func record(former identity: String, ends: [ContainerName: LogSequence]) throws(CloudError) {
        try perform(.writing) { directory in
            try former.withLock { _ in
                var file = try formerClouds(directory)
                guard file.record(identity, ends: ends) else {
                    throw CloudError(
                        .failed, "The cloud \(identity.prefix(64)) has too many containers to continue at \(root).")
                }
                try withTemporaryFile(in: directory, [Array(file.text.utf8)], durable: true) { name in
                    try directory.rename(name, to: CloudLayout.former)
                }
                try directory.syncFolder(".")
            }
        }
    }

    /// Returns the clouds that were copied into this one.
    func formerClouds(_ directory: Descriptor) throws -> FormerCloudsFile {
        guard let file = try directory.openIfPresent(CloudLayout.former, O_RDONLY) else { return FormerCloudsFile() }
        guard let clouds = FormerCloudsFile(try file.read(FormerCloudsFile.maximumSize + 1)) else {
            throw CloudError(
                .damaged,
                "The file \(root)/\(file.path) is not valid. Restore it from a backup, or delete it and run `ubiquity cloud copy` again."
            )
        }
        return clouds
    }
}
