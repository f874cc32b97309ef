import ClaimService
import LiveQueries
import VirtualFileSystem

/// Those who learn of changes of the tree: coordination and monitors.
struct TreeObservers: TreeObserver {
    let claims: ClaimService
    let monitors: MonitorService

    func happened(_ change: TreeChange) {
        claims.happened(change)
        monitors.happened(change)
    }
}
