package import LocalContent
package import LocalMetadata
package import Sync
package import VirtualFileSystem

/// The mount as the engine sees it, without a kernel to tell of anything.
package final class KernellessMount: MountedFiles {
    private let files: VirtualFileSystem
    private let content: ContentStore

    package init(_ files: VirtualFileSystem, _ content: ContentStore) {
        self.files = files
        self.content = content
    }

    package func exclusively<T>(_ body: () throws -> T) rethrows -> T { try files.gate.exclusive(body) }
    package func isOpen(_ node: NodeID) -> Bool { files.openFiles.isOpen(node) }
    package func detach(_ removed: [LocalItem]) { files.detach(removed) }

    package func apply(_ effects: TreeEffects) {
        // Left to the sweep where it fails, as in a daemon.
        for blob in effects.orphanedBlobs { try? content.remove(blob) }
    }

    package func noteIdleEdits(pause: Duration) { files.noteIdleEdits(pause: pause) }
    package func saveUsage() throws { try files.saveUsage() }
}
