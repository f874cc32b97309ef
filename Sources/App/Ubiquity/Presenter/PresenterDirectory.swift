import Foundation
import Synchronization

/// This process's presenters.
final class PresenterDirectory: Sendable {
    static let shared = PresenterDirectory()

    private let agents = Mutex<[ObjectIdentifier: PresenterAgent]>([:])

    var presenters: [any NSFilePresenter] { agents.withLock { $0.values.map(\.presenter) }.map(\.value) }

    var all: [PresenterAgent] { agents.withLock { Array($0.values) } }

    func agent(of presenter: any NSFilePresenter) -> PresenterAgent? {
        agents.withLock { $0[ObjectIdentifier(presenter)] }
    }

    /// Adds a presenter; an already added presenter stays as it is.
    func add(_ presenter: any NSFilePresenter) {
        let agent = PresenterAgent(presenter)
        let isNew = agents.withLock { agents in
            guard agents[ObjectIdentifier(presenter)] == nil else { return false }
            agents[ObjectIdentifier(presenter)] = agent
            return true
        }
        if isNew { register(agent) }
    }

    /// Registers a presenter added without an item.
    func register(_ agent: PresenterAgent) {
        guard agent.registration == nil, let url = agent.presenter.value.presentedItemURL else { return }
        let route = ClaimRouter.shared.route(url)
        route.authority.add(agent, at: route.path)
    }

    /// Notifies this process's presenters of an item, if they have the callback, of changes known only to this process.
    func notify(_ call: PresenterCall, at url: URL, except own: PresenterAgent? = nil) {
        let path = ClaimRouter.shared.route(url).path
        for agent in agents.withLock({ Array($0.values) })
        where agent !== own && agent.callbacks.contains(call.callback) {
            guard let presented = agent.presenter.value.presentedItemURL,
                ClaimRouter.shared.route(presented).path == path
            else { continue }
            agent.put(.notification(call))
        }
    }

    func remove(_ presenter: any NSFilePresenter) {
        guard let agent = agents.withLock({ $0.removeValue(forKey: ObjectIdentifier(presenter)) }) else { return }
        agent.end()
        agent.registration?.authority.remove(agent)
    }
}
