import ClaimService
import CloudModel
import KeyValues
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
    private let watches: WatchNotifier
    private let source: ContentSourceAdapter
    private let claims: ClaimService
    private let keyValues: KeyValueService

    init(
        _ files: VirtualFileSystem, _ invalidator: KernelInvalidator, _ watches: WatchNotifier,
        _ source: ContentSourceAdapter, _ claims: ClaimService, _ keyValues: KeyValueService
    ) {
        self.files = files
        self.invalidator = invalidator
        self.watches = watches
        self.source = source
        self.claims = claims
        self.keyValues = keyValues
    }

    func exclusively<T>(_ body: () throws -> T) rethrows -> T { try files.withOperationsBlocked(body) }

    func isOpen(_ node: NodeID) -> Bool { files.isOpen(node) }

    func changed(_ effects: TreeEffects) {
        files.changed(effects.changedEntries.map { ($0.parent, $0.name) }, removed: effects.removed)
    }

    func detach(_ removed: [LocalItem]) { files.detach(removed) }

    func apply(_ effects: TreeEffects) {
        for blob in effects.orphanedBlobs { files.remove(blob) }
        invalidator.invalidate(
            nodes: Array(effects.changedNodes.union(effects.moved.keys)),
            entries: effects.changedEntries.map { ($0.parent, $0.name.bytes) })
        watches.notify(RemoteChanges(effects))
        claims.changed(effects)
        invalidator.afterwards { [claims] in claims.contentChanged(of: effects.changedNodes) }
        claims.lost(effects.lostVersions)
        for change in effects.keyValues { keyValues.changed(change) }
        if effects.wantsDownloads { source.downloadsWanted() }
    }

    func noteIdleEdits(pause: Duration) { files.noteIdleEdits(pause: pause) }

    func saveUsage() throws { try files.saveUsage() }

    var isWrittenByKernel: Bool { files.kernelWriters > 0 }

    func takeAwayBlobs() { files.removeBlobsNow() }
}

extension RemoteChanges {
    fileprivate init(_ effects: TreeEffects) {
        self.init()
        removed = effects.removed.map { item in
            Removed(
                node: item.node, kind: item.kind, place: Announcement.Place(parent: item.parent, name: item.name.bytes))
        }
        moved = effects.moved.mapValues { Announcement.Place(parent: $0.parent, name: $0.name.bytes) }
        created = effects.created.sorted { $0.value < $1.value }
        nodes = Array(effects.changedNodes)
    }
}
