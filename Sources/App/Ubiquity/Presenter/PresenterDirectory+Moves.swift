import Foundation

/// Moves between a mount and the rest of the machine, or between mounts, which no authority sees as moves.
extension PresenterDirectory {
    /// Those of this process that present an item, or something in it.
    private func agents(at old: ClaimRouter.Route) -> [(agent: PresenterAgent, rest: Substring)] {
        all.compactMap { agent in
            guard let url = agent.presenter.value.presentedItemURL else { return nil }
            let path = ClaimRouter.shared.route(url).path
            guard path == old.path || path.hasPrefix(old.path + "/") else { return nil }
            return (agent, path.dropFirst(old.path.count))
        }
    }

    /// An item is about to be moved: that it disappears at its old place is no deletion.
    func expectMove(from old: ClaimRouter.Route) {
        for (agent, _) in agents(at: old) { agent.expectMove() }
    }

    /// Takes presenters of an item to the authority of its new place, and notifies them of that. Returns when they have been notified, or are busy for
    /// longer than ``PresenterAgent/patience``.
    ///
    /// - Parameter own: The presenter in whose name it was moved, which knows.
    func move(_ old: ClaimRouter.Route, to new: ClaimRouter.Route, except own: PresenterAgent? = nil) {
        let moved = agents(at: old).map { agent, rest in
            let path = new.path + rest
            old.authority.remove(agent)
            let reacquirers = agent.leave()
            new.authority.add(agent, at: path)
            return agent.follow(URL(filePath: path), isOwn: agent === own, reacquirers)
        }
        old.authority.left(old.path)
        let end = DispatchTime.now() + PresenterAgent.patience
        for isKnown in moved { _ = isKnown?.wait(timeout: end) }
    }
}
