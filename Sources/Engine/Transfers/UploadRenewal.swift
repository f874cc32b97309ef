import Chunking
import CloudModel
import CloudStorage
import Synchronization

/// Queries the chunks of a running upload again from time to time, because a server keeps unreferenced chunks only for
/// a short time. So an upload may take any length of time.
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
        // A cloud with device-run collection keeps the chunks needed by an upload through the order of its log.
        guard context.backend.facet((any ChunkCollecting).self) == nil else { return }
        while !Task.isCancelled {
            // Only cancellation ends the sleep early, and with it the loop.
            try? await context.clock.sleep(for: UploadGrace.renewal)
            var rest = arrived.withLock { $0[...] }
            while !rest.isEmpty, !Task.isCancelled {
                let part = Array(rest.prefix(ContentUploader.groupChunks))
                rest = rest.dropFirst(part.count)
                // Lost or unrenewed chunks are found missing before the log names them, and are sent again.
                _ = try? await context.uploadSlots.withSlot(.background) {
                    try await context.missing(part, in: container)
                }
            }
        }
    }
}
