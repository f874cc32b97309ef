import ClaimService
import LiveQueries
import LocalMetadata
import Logging
import Sync
import VirtualFileSystem

/// Passes local programs' changes in the tree to coordination and monitors.
struct TreeObservers: TreeObserver {
    let claims: ClaimService
    let monitors: MonitorService
    let log: Logger

    func happened(_ change: TreeChange) {
        note(change)
        claims.happened(change)
        monitors.happened(change)
    }

    private func note(_ change: TreeChange) {
        switch change {
        case .created(let item): log.debug("created", metadata: item.logged)
        case .moved(let item, let folder, let name):
            log.debug("moved", metadata: item.logged + ["to": "\(name)", "folder": "\(folder)"])
        case .removed(let item): log.debug("removed", metadata: item.logged)
        case .replaced(let item, let new):
            log.debug("replaced", metadata: item.logged + ["by": "\(new.name)", "by node": "\(new.node)"])
        case .changed(let node): log.debug("changed", metadata: ["node": "\(node)"])
        }
    }
}
