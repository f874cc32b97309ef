import CloudModel
import Coordination
import DaemonProtocol
import Foundation
import Glibc
import Synchronization

/// Decides among this process's coordinators and presenters about everything outside mounts. It does not coordinate
/// with other processes.
final class ProcessAuthority: ClaimAuthority {
    private static let client = ClientID(1)

    private struct Presented {
        let agent: PresenterAgent
        let id: PresenterID
        let item: ItemNumber
    }

    private let tree = PathTree()
    private let messenger = Messenger()
    private let arbiter: Arbiter<ContinuousClock>
    private let presented = Mutex<[ObjectIdentifier: Presented]>([:])

    init() {
        arbiter = Arbiter(tree: tree, messenger: messenger, clock: .continuous)
        messenger.attach(tree) { [arbiter] in arbiter.key(of: $0) }
    }

    // MARK: Claims

    func open(
        _ accesses: [PathAccess], _ terms: ClaimTerms,
        _ outcome: @escaping @Sendable (Result<GrantedClaim, CoordinationFailure>) -> Void
    ) -> ClaimTicket {
        let items = accesses.map { tree.hold($0.path) }
        let written = zip(items, accesses).filter(\.1.isWriting).map { Written(item: $0, path: $1.path) }
        let presenter = terms.agent.flatMap { agent in presented.withLock { $0[ObjectIdentifier(agent)]?.id } }
        let request = ClaimRequest(
            client: Self.client, purpose: .named(terms.purpose),
            accesses: zip(items, accesses).map { item, access in
                Access(.item(item), access.mode, place: tree.place(of: item), mayCreate: true)
            }, presenter: presenter, enclosure: terms.enclosure)
        let id = arbiter.reserve()
        arbiter.open(id, request) { [self] result in
            switch result {
            case .success(let keys): outcome(.success(granted(id, keys, items, written)))
            case .failure(let error):
                for item in items { tree.release(item) }
                outcome(.failure(CoordinationFailure(error)))
            }
        }
        return ClaimTicket(cancel: { [arbiter] in arbiter.cancel(id, of: Self.client) })
    }

    private struct Written: Sendable {
        let item: ItemNumber
        let path: String
        let existed: Bool

        init(item: ItemNumber, path: String) {
            self.item = item
            self.path = path
            existed = Self.exists(path)
        }

        static func exists(_ path: String) -> Bool {
            var status = stat()
            return lstat(path, &status) == 0
        }
    }

    private func granted(_ id: ClaimID, _ keys: [ItemKey], _ held: [ItemNumber], _ written: [Written]) -> GrantedClaim {
        let items = zip(keys, held).map { key, item in if case .item(let now) = key { now } else { item } }
        let drop: @Sendable () -> Void = { [self] in
            arbiter.finish(id, of: Self.client)
            for item in held { tree.release(item) }
        }
        let end: @Sendable () -> Void = { [self] in
            for entry in written { notify(entry, id) }
            drop()
        }
        let finish: @Sendable () -> CoordinationFailure? = {
            end()
            return nil
        }
        return GrantedClaim(paths: items.map(tree.path), number: id.value, finish: finish, drop: drop)
    }

    /// File changes outside mounts are not observed: each coordinated write counts as a change.
    private func notify(_ written: Written, _ id: ClaimID) {
        guard Written.exists(tree.path(of: written.item)) else { return }
        if !written.existed, let place = tree.place(of: written.item) {
            arbiter.handle(.created(written.item, at: place, by: id))
        }
        arbiter.handle(.changed(written.item, by: id))
    }

    // MARK: Presenters

    func add(_ agent: PresenterAgent, at path: String) {
        let item = tree.hold(path)
        let id = arbiter.register(
            PresenterRegistration(
                client: Self.client, key: .item(item), callbacks: Set(agent.callbacks)))
        presented.withLock { $0[ObjectIdentifier(agent)] = Presented(agent: agent, id: id, item: item) }
        messenger.enter(agent, id)
        agent.enter(self, .presenter(id))
    }

    func remove(_ agent: PresenterAgent) {
        guard let entry = presented.withLock({ $0.removeValue(forKey: ObjectIdentifier(agent)) }) else { return }
        messenger.remove(entry.id)
        arbiter.unregister(entry.id, of: Self.client)
        tree.release(entry.item)
    }

    func answer(_ question: UInt64, failure: String?) {
        arbiter.answer(AskID(question), failure.map { .failed($0) } ?? .done, of: Self.client)
    }

    func moved(_ path: String, to newPath: String) {
        // An unknown item is neither claimed nor presented.
        guard let item = tree.known(path), let from = tree.place(of: item) else { return }
        let claim = Enclosing.innermost(of: self)?.claim.map { ClaimID($0) }
        let replaced = tree.move(item, to: newPath)
        guard let to = tree.place(of: item) else { return }
        arbiter.handle(.moved(item, from: from, to: to, by: claim))
        if let replaced { arbiter.handle(.replaced(replaced, with: item, by: claim)) }
    }

    func left(_ path: String) {
        // An unknown item is neither claimed nor presented.
        guard let item = tree.known(path), let place = tree.place(of: item) else { return }
        let claim = Enclosing.innermost(of: self)?.claim.map { ClaimID($0) }
        arbiter.handle(.deleted(item, from: place, by: claim))
    }
}

/// Passes this process's arbiter messages to its presenters.
private final class Messenger: ClaimMessenger {
    private struct State {
        var agents: [PresenterID: PresenterAgent] = [:]
        var tree: PathTree?
        var key: (@Sendable (PresenterID) -> ItemKey?)?
    }

    private let state = Mutex(State())

    func attach(_ tree: PathTree, _ key: @escaping @Sendable (PresenterID) -> ItemKey?) {
        state.withLock { state in
            state.tree = tree
            state.key = key
        }
    }

    func enter(_ agent: PresenterAgent, _ id: PresenterID) { state.withLock { $0.agents[id] = agent } }
    func remove(_ id: PresenterID) { state.withLock { $0.agents[id] = nil } }

    func send(_ delivery: PresenterDelivery, to presenter: PresenterID, of client: ClientID) {
        let (agent, tree, key) = state.withLock { ($0.agents[presenter], $0.tree, $0.key) }
        guard let agent, let tree else { return }
        switch delivery {
        case .ask(let ask, let messages):
            agent.put(.question(ask.value, messages.map { PresenterCall($0, tree) }[...]))
        case .reacquire(let ask): agent.put(.reacquire(ask.value))
        case .notice(let notice):
            let url = key?(presenter).map { tree.url(of: $0) }
            let call = PresenterCall(notice, now: url, tree)
            if call.isComplete { agent.put(.notification(call)) }
        }
    }

    /// Does nothing: a stopped process does not run its own arbiter either.
    func revoke(_ claim: ClaimID, of client: ClientID) {}
    /// Does nothing: the arbiter's reports show in the accesses themselves, which continue without
    /// the unresponsive presenter.
    func report(_ report: ClaimReport) {}
}

extension PathTree {
    fileprivate func url(of key: ItemKey) -> URL {
        switch key {
        case .item(let item): URL(filePath: path(of: item))
        case .vacant(let place): url(of: place)
        }
    }

    fileprivate func url(of place: ItemPlace) -> URL {
        URL(filePath: path(of: place.folder)).appending(path: "\(place.name)")
    }
}

extension PresenterCall {
    fileprivate init(_ message: PresenterMessage, _ tree: PathTree) {
        self.init(message.callback, message.subitem.map(tree.url))
    }

    /// - Parameter now: The presented item's current URL.
    fileprivate init(_ notice: PresenterNotice, now: URL?, _ tree: PathTree) {
        let own = notice.callback.parameters.contains(.path) ? now : nil
        self.init(
            notice.callback, notice.subitem.map(tree.url) ?? own, from: notice.from.map(tree.url),
            version: notice.version.map { "\($0)" })
    }
}
