import VirtualFileSystem

/// Those who hear of changes of the tree: coordination and monitors.
struct TreeWitnesses: TreeWitness {
    let claims: ClaimDesk
    let monitors: MonitorDesk

    func happened(_ change: TreeChange) {
        claims.happened(change)
        monitors.happened(change)
    }
}
