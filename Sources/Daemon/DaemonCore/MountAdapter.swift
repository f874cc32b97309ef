import ClaimService
import CloudModel
import LocalContent
import LocalMetadata
import Mount
import Sync
import Synchronization
import VirtualFileSystem

/// Gives the engine access to the mount: the open files, and the invalidation of the kernel's cache.
final class MountAdapter: MountedFiles {
    private let files: VirtualFileSystem
    private let invalidator: KernelInvalidator
    private let source: ContentSourceAdapter
    private let claims: ClaimService
    private let keyValues: KeyValueService

    init(
        _ files: VirtualFileSystem, _ invalidator: KernelInvalidator, _ source: ContentSourceAdapter,
        _ claims: ClaimService,
        _ keyValues: KeyValueService
    ) {
        self.files = files
        self.invalidator = invalidator
        self.source = source
        self.claims = claims
        self.keyValues = keyValues
    }

    func exclusively<T>(_ body: () throws -> T) rethrows -> T { try files.withOperationsBlocked(body) }

    func isOpen(_ node: NodeID) -> Bool { files.isOpen(node) }

    func detach(_ removed: [LocalItem]) { files.detach(removed) }

    func apply(_ effects: TreeEffects) {
        for blob in effects.orphanedBlobs { files.remove(blob) }
        invalidator.invalidate(
            nodes: Array(effects.changedNodes.union(effects.moved.keys)),
            entries: effects.changedEntries.map { ($0.parent, $0.name.bytes) })
        claims.changed(effects)
        claims.lost(effects.lostVersions)
        for change in effects.keyValues { keyValues.tell(change) }
        if effects.wantsDownloads { source.downloadsWanted() }
    }

    func noteIdleEdits(pause: Duration) { files.noteIdleEdits(pause: pause) }

    func saveUsage() throws { try files.saveUsage() }

    var isWrittenByKernel: Bool { files.kernelWriters > 0 }

    func takeAwayBlobs() { files.removeBlobsNow() }
}
