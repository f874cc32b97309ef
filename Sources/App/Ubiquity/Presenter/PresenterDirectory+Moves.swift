import Foundation

/// Moves between a mount and the rest of the machine, or between mounts, which no authority sees as moves.
extension PresenterDirectory {
    /// Returns this process's agents for presenters of the item, or of an item in it.
    private func agents(at old: ClaimRouter.Route) -> [(agent: PresenterAgent, rest: Substring)] {
        all.compactMap { agent in
            guard let url = agent.presenter.value.presentedItemURL else { return nil }
            let path = ClaimRouter.shared.route(url).path
            guard path == old.path || path.hasPrefix(old.path + "/") else { return nil }
            return (agent, path.dropFirst(old.path.count))
        }
    }

    /// Announces an item's upcoming move, so that its disappearance at the old place is no deletion.
    func expectMove(from old: ClaimRouter.Route) {
        for (agent, _) in agents(at: old) { agent.expectMove() }
    }

    /// Transfers an item's presenters to the authority of its new place, and notifies them. Returns when they have been
    /// notified, or have been busy for longer than ``PresenterAgent/patience``.
    ///
    /// - Parameter own: The presenter on whose behalf the item was moved, which needs no notification.
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
