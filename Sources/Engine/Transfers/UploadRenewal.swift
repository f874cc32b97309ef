import Chunking
import CloudModel
import CloudStorage
import Synchronization

/// Asks again, from time to time, about the chunks of an upload that is under way, because a server keeps chunks that nothing names for a short
/// time only. So an upload may take as long as it takes.
final class UploadRenewal: Sendable {
    private let context: TransferContext
    private let container: ContainerName
    private let arrived = Mutex<[ChunkID]>([])

    init(_ context: TransferContext, _ container: ContainerName) {
        self.context = context
        self.container = container
    }

    /// Notes that a chunk is in the cloud.
    func add(_ chunk: ChunkID) { arrived.withLock { $0.append(chunk) } }

    /// Renews until the task is cancelled.
    func run() async {
        // A cloud whose chunks devices collect keeps what an upload needs by the order of its log.
        guard context.backend.facet((any ChunkCollecting).self) == nil else { return }
        while !Task.isCancelled {
            // Only cancellation ends the sleep early, and with it the loop.
            try? await context.clock.sleep(for: UploadGrace.renewal)
            var rest = arrived.withLock { $0[...] }
            while !rest.isEmpty, !Task.isCancelled {
                let part = Array(rest.prefix(ContentUploader.groupChunks))
                rest = rest.dropFirst(part.count)
                // What is lost, or could not be renewed, is found to be missing when the log is to name it, and is sent again.
                _ = try? await context.uploadSlots.withSlot(.background) {
                    try await context.missing(part, in: container)
                }
            }
        }
    }
}
