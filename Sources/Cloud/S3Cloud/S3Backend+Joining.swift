package import CloudModel
import CloudStorage
import Cryptography
import S3Client
import Synchronization

extension S3Backend {
    /// See ``HistoryJoining/joinHistories(of:)``. Each entry is replaced as a whole, from first to last, so an
    /// interrupted run leaves a log with a later break. Segments with the former digests no longer follow, and readers
    /// skip them.
    package func joinHistories(of container: ContainerName) async throws {
        try await perform(.writing) {
            try await self.requireContainer(container)
            var before = Digest.zero
            var number: UInt64 = 1
            while let entry = try await self.entry(number, of: container) {
                let digest = before.chained(entry.payload)
                if digest != entry.digest {
                    try await self.client.put(
                        self.layout.entry(container, number), self.object(entry.payload, digest: digest))
                }
                before = digest
                number += 1
            }
            self.state.withLock { $0.logs[container] = nil }
        }
    }
}
