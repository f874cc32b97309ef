import Basics
import CloudModel
import CloudStorage
import LocalContent
import LocalMetadata
import Synchronization
import Transfers

/// Refuses documents too large for the cloud before their bytes travel.
final class CloudRoom: Sendable {
    /// A document that did not fit, with the free bytes at that time.
    private struct Refused {
        let status: BlobStatus
        let free: UInt64
    }

    private let context: EngineContext
    private let uploader: ContentUploader
    private let refused = Mutex<[NodeID: Refused]>([:])
    /// Smaller documents are refused by the cloud itself.
    private static let smallest: UInt64 = 4 << 20

    init(_ context: EngineContext, _ uploader: ContentUploader) {
        self.context = context
        self.uploader = uploader
    }

    /// Returns why the document is not uploaded; nil if it fits.
    func refusal(
        of candidate: UploadCandidate, _ item: UploadItem, in container: ContainerName
    ) async throws -> TransferError? {
        guard item.size > Self.smallest, let space = try await context.backend.space(), item.size > space.free else {
            return nil
        }
        let node = candidate.item.node
        let isKnown = refused.withLock { known in
            known[node].map { $0.status == candidate.status && space.free <= $0.free } ?? false
        }
        // Its bytes may be in the cloud already, or take less when compressed.
        if !isKnown, try await uploader.fits(item, into: space.free, in: container) {
            refused.withLock { $0[node] = nil }
            return nil
        }
        refused.withLock { $0[node] = Refused(status: candidate.status, free: space.free) }
        let purgeable = try await DeletedItems(context).purgeable(.init(place: [], until: context.time.now())).bytes
        // A cloud with device-run collection has no quota: its disk is full.
        let hasQuota = context.backend.facet((any ChunkCollecting).self) == nil
        let message = Self.message(size: item.size, space, purgeable: purgeable, hasQuota: hasQuota)
        return TransferError(.quota, message, cause: CloudError(.quota, message))
    }

    static func message(size: UInt64, _ space: CloudSpace, purgeable: UInt64, hasQuota: Bool) -> String {
        let figures =
            "This document of \(ByteCount(size)) does not fit into the cloud, where \(ByteCount(space.free)) of "
            + "\(ByteCount(space.total)) are free. "
        guard hasQuota else {
            return figures
                + "Free some space on the disk that holds it; `ubiquity collect` gives back that of deleted documents."
        }
        guard purgeable > 0 else {
            return figures + "Delete documents, then run `ubiquity deleted --purge`; or get more space."
        }
        return figures + "`ubiquity deleted --purge` frees up to \(ByteCount(purgeable)) of deleted documents."
    }
}
