import ClaimService
import LiveQueries
import VirtualFileSystem

/// Passes changes of the tree to coordination and monitors.
struct TreeObservers: TreeObserver {
    let claims: ClaimService
    let monitors: MonitorService

    func happened(_ change: TreeChange) {
        claims.happened(change)
        monitors.happened(change)
    }
}
