import LocalContent
package import LocalMetadata
package import Sync
package import VirtualFileSystem

/// The mount as the engine sees it, without a kernel to notify.
package final class KernellessMount: MountedFiles {
    package var isWrittenByKernel: Bool { false }
    private let files: VirtualFileSystem

    package init(_ files: VirtualFileSystem) {
        self.files = files
    }

    package func exclusively<T>(_ body: () throws -> T) rethrows -> T { try files.withOperationsBlocked(body) }
    package func isOpen(_ node: NodeID) -> Bool { files.isOpen(node) }
    package func changed(_ effects: TreeEffects) { files.changed([], removed: effects.removed) }
    package func detach(_ removed: [LocalItem]) { files.detach(removed) }

    package func apply(_ effects: TreeEffects) {
        for blob in effects.orphanedBlobs { files.remove(blob) }
    }

    package func noteIdleEdits(pause: Duration) { files.noteIdleEdits(pause: pause) }
    package func takeAwayBlobs() { files.removeBlobsNow() }
    package func saveUsage() throws { try files.saveUsage() }
}
