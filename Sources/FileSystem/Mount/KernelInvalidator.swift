import Dispatch
package import Fuse
package import LocalMetadata
package import Logging
import Synchronization
package import VirtualFileSystem

/// Invalidates the kernel's caches, on a separate thread: a page being read is locked until its bytes have arrived, and
/// the delivering threads must not wait for that lock.
package final class KernelInvalidator: Sendable {
    private let queue = DispatchQueue(label: "ubiquity.invalidate")
    private let files: VirtualFileSystem
    private let notifier = Mutex<FuseNotifier?>(nil)
    private let log: Logger

    /// - Parameter files: Notes the names of which the kernel has been notified.
    package init(_ files: VirtualFileSystem, log: Logger) {
        self.files = files
        self.log = log
    }

    package func attach(_ session: FuseSession) { notifier.withLock { $0 = session.notifier } }

    /// Invalidates a node's attributes before returning. Handlers may call it too: while the bytes are kept the kernel
    /// takes no lock, and a node named by a request is not about to be removed from memory.
    func invalidateAttributes(of node: NodeID) {
        do { try notifier.withLock({ $0 })?.invalidateInode(node.value, offset: -1) } catch {
            log.warning("the kernel kept a stale mode", metadata: ["node": "\(node)", "error": "\(error)"])
        }
    }

    /// Waits until all pending invalidations are done. Request handlers must not call it.
    func flush() { queue.sync {} }

    /// Runs `body` once all pending invalidations are done. Returns immediately.
    package func afterwards(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Invalidates attributes and bytes of nodes, then the meaning of names. Returns immediately; the order is kept.
    package func invalidate(nodes: [NodeID], entries: [(parent: NodeID, name: [UInt8])]) {
        guard !nodes.isEmpty || !entries.isEmpty else { return }
        let changes = files.nameChanges
        queue.async { [log, files] in
            // Without a mount the kernel knows nothing.
            let notifier = self.notifier.withLock { $0 }
            for node in nodes {
                do { try notifier?.invalidateInode(node.value) } catch {
                    log.warning("the kernel kept stale bytes", metadata: ["node": "\(node)", "error": "\(error)"])
                }
            }
            for entry in entries {
                do { try notifier?.invalidateEntry(parent: entry.parent.value, name: entry.name) } catch {
                    log.warning("the kernel kept a stale name", metadata: ["error": "\(error)"])
                }
                files.notified(entry.name, in: entry.parent, asOf: changes)
            }
        }
    }
}
