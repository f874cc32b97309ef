import LocalMetadata
import Synchronization
package import VirtualFileSystem

/// Records notifications to a tree's observer, as short texts.
package final class ChangeLog: TreeObserver {
    private let texts = Mutex<[String]>([])

    package init() {}

    package func happened(_ change: TreeChange) {
        let text =
            switch change {
            case .created(let item): "created \(item.name)"
            case .moved(let item, _, let name): "moved \(item.name) to \(name)"
            case .removed(let item): "removed \(item.name)"
            case .replaced(let item, let other): "replaced \(item.name) with \(other.name)"
            case .changed: "changed"
            }
        texts.withLock { $0.append(text) }
    }

    /// Returns the texts recorded since the last call, and removes them.
    package func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}
