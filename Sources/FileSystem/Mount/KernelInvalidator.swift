import Dispatch
package import Fuse
package import LocalMetadata
package import Logging
import Synchronization

/// Invalidates what the kernel caches, on a thread of its own: a page that is being read is locked until its bytes have arrived, and the
/// threads that bring them must not wait for that.
package final class KernelInvalidator: Sendable {
    private let queue = DispatchQueue(label: "ubiquity.invalidate")
    private let notifier = Mutex<FuseNotifier?>(nil)
    private let log: Logger

    package init(log: Logger) { self.log = log }

    package func attach(_ session: FuseSession) { notifier.withLock { $0 = session.notifier } }

    /// Forgets a node's attributes, before this returns. For handlers too: where the bytes are spared the kernel takes no lock, and a
    /// node that a request names is not on its way out of memory.
    func invalidateAttributes(of node: NodeID) {
        do { try notifier.withLock({ $0 })?.invalidateInode(node.value, offset: -1) } catch {
            log.warning("the kernel kept a stale mode", metadata: ["node": "\(node)", "error": "\(error)"])
        }
    }

    /// Forgets attributes and bytes of nodes, then what names mean. Returns at once; the order is kept.
    package func invalidate(nodes: [NodeID], entries: [(parent: NodeID, name: [UInt8])]) {
        guard let notifier = notifier.withLock({ $0 }), !nodes.isEmpty || !entries.isEmpty else { return }
        queue.async { [log] in
            for node in nodes {
                do { try notifier.invalidateInode(node.value) } catch {
                    log.warning("the kernel kept stale bytes", metadata: ["node": "\(node)", "error": "\(error)"])
                }
            }
            for entry in entries {
                do { try notifier.invalidateEntry(parent: entry.parent.value, name: entry.name) } catch {
                    log.warning("the kernel kept a stale name", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
