package import CloudModel
import CloudStorage
import S3Client

extension S3Backend {
    /// See ``CloudContinuing/record(former:ends:)``. Of two that record at the same time the later counts; a copy that is repeated records
    /// again.
    package func record(former identity: String, ends: [ContainerName: LogSequence]) async throws {
        try await perform(.writing) {
            var file = try await self.formerClouds()
            guard file.record(identity, ends: ends) else {
                throw CloudError(
                    .failed,
                    "The cloud \(identity.prefix(64)) has too many containers to continue at \(self.client.location).")
            }
            try await self.client.put(self.layout.former, Array(file.text.utf8))
        }
    }

    /// Returns the clouds that were copied into this one.
    func formerClouds() async throws -> FormerCloudsFile {
        let found = try await client.get(layout.former, limit: FormerCloudsFile.maximumSize)
        guard case .object(let object) = found else { return FormerCloudsFile() }
        guard let file = FormerCloudsFile(object.bytes) else {
            throw CloudError(
                .damaged,
                "The object \(layout.former) in \(client.location) is not valid. Restore its earlier version, or delete it and run `ubiquity cloud copy` again."
            )
        }
        return file
    }
}
