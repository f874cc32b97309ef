import CloudModel
import LocalContent
import LocalMetadata
import Mount
import Sync
import Synchronization
import VirtualFileSystem

/// Lets the engine see the mount: which files are open, and what the kernel has to be told.
final class MountLink: MountedFiles {
    private let files: VirtualFileSystem
    private let invalidator: KernelInvalidator
    private let source: EngineLink
    private let claims: ClaimDesk

    init(_ files: VirtualFileSystem, _ invalidator: KernelInvalidator, _ source: EngineLink, _ claims: ClaimDesk) {
        self.files = files
        self.invalidator = invalidator
        self.source = source
        self.claims = claims
    }

    func exclusively<T>(_ body: () throws -> T) rethrows -> T { try files.gate.exclusive(body) }

    func isOpen(_ node: NodeID) -> Bool { files.openFiles.isOpen(node) }

    func detach(_ removed: [LocalItem]) { files.detach(removed) }

    func apply(_ effects: TreeEffects) {
        for blob in effects.orphanedBlobs { files.removal.remove(blob) }
        invalidator.invalidate(
            nodes: Array(effects.changedNodes), entries: effects.changedEntries.map { ($0.parent, $0.name.bytes) })
        claims.changed(effects.changedNodes, effects.changedEntries)
        claims.lost(effects.lostVersions)
        if effects.wantsDownloads { source.downloadsWanted() }
    }

    func noteIdleEdits(pause: Duration) { files.noteIdleEdits(pause: pause) }

    func saveUsage() throws { try files.saveUsage() }

    func takeAwayBlobs() { files.removal.flush() }
}
