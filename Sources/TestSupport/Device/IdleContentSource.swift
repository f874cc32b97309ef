import Basics
package import CloudModel
import Glibc
package import LocalContent
package import LocalMetadata
package import Synchronization
package import Transfers
package import VirtualFileSystem

/// A content source without downloads: absent bytes stay absent until a test supplies them.
package final class IdleContentSource: ContentSource {
    private let content: ContentStore
    private let container: ContainerName
    private let transfers: TransferContext
    package let patience: Duration
    /// Whether the cloud cannot be reached, as the engine knows.
    package let isOffline = Atomic<Bool>(false)

    package init(
        _ content: ContentStore, container: ContainerName, transfers: TransferContext, patience: Duration = .zero
    ) {
        self.content = content
        self.container = container
        self.transfers = transfers
        self.patience = patience
    }

    package func openIncomplete(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    ) {
        guard let reference = item.content else { throw Errno(EAGAIN) }
        if item.presence == .none, isOffline.load(ordering: .relaxed) { throw Errno(ENETUNREACH) }
        let descriptor = item.presence == .none ? try content.create(item.blob) : try content.open(item.blob)
        let file = SharedDescriptor(adopting: descriptor)
        try check("ftruncate") { ftruncate(descriptor, off_t(item.size)) }
        return (file, ContentDownload(reference, in: container, to: file, context: transfers))
    }

    package func closeIncomplete(_ item: LocalItem) {}
    package func finishDownload(of item: LocalItem) async throws {}
    package func completeInBackground(_ item: LocalItem) {}
    package func localTreeChanged() {}
    package func progress(of item: LocalItem) -> TransferFractions { TransferFractions() }
    package func request(_ command: ContentCommand, for item: LocalItem) throws {}
    package var cloudSpace: (total: UInt64, free: UInt64)? { nil }
}
