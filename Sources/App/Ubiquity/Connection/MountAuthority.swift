import CLinux
import Coordination
import DaemonProtocol
import Foundation
import Synchronization

/// Requests claims from a mount's daemon, which decides for all coordinating programs. It connects at the first
/// request, and reconnects after a restart of the daemon.
final class MountAuthority: ClaimAuthority {
    private struct State {
        var connection: MountConnection?
        /// The daemon's numbers for this process's presenters.
        var agents: [UInt64: PresenterAgent] = [:]
        var numbers: [ObjectIdentifier: UInt64] = [:]
        /// The presenters' registration paths, to register them again with a restarted daemon.
        var paths: [ObjectIdentifier: (agent: PresenterAgent, path: String)] = [:]
        /// Messages that arrived before their presenter's number was known.
        var early: [UInt64: [PresenterAgent.Delivery]] = [:]
        var registrations = 0
        var isReadingLetters = false
        var isReconnecting = false
    }

    /// The mount point.
    let root: String
    private let state = Mutex(State())
    private let connecting = Mutex(())

    init(_ root: String) { self.root = root }

    // MARK: Claims

    func open(
        _ accesses: [PathAccess], _ terms: ClaimTerms,
        _ outcome: @escaping @Sendable (Result<GrantedClaim, CoordinationFailure>) -> Void
    ) -> ClaimTicket {
        do throws(DaemonFailure) {
            let connection = try connection()
            let request = try request(accesses, terms)
            let id = connection.send(request) { [root] id, answer in
                outcome(Self.granted(answer, id, connection, root, isWrite: accesses.contains(where: \.isWriting)))
            }
            return ClaimTicket { connection.finish(id) }
        } catch {
            outcome(.failure(CoordinationFailure(error)))
            return ClaimTicket {}
        }
    }

    func ask(_ body: () -> Void, until isDone: () -> Bool) {
        guard let connection = alive else { return body() }
        connection.ask(body, until: isDone)
    }

    static func granted(
        _ answer: Result<GrantedResponse, DaemonFailure>, _ id: UInt64, _ connection: MountConnection, _ root: String,
        isWrite: Bool
    ) -> Result<GrantedClaim, CoordinationFailure> {
        switch answer {
        case .success(let granted):
            let finish: @Sendable () -> CoordinationFailure? = {
                // For a reader it does not matter whether its claim was held to the end.
                guard isWrite else {
                    connection.finish(id)
                    return nil
                }
                do throws(DaemonFailure) {
                    _ = try connection.call(FinishRequest(claim: id))
                    return nil
                } catch { return CoordinationFailure(error) }
            }
            return .success(
                GrantedClaim(
                    paths: granted.paths.map { "\(root)/\($0)" }, number: granted.claim,
                    isWhole: granted.isWhole ?? false, finish: finish, drop: { connection.finish(id) }))
        case .failure(let failure): return .failure(CoordinationFailure(failure))
        }
    }

    private func request(_ accesses: [PathAccess], _ terms: ClaimTerms) throws(DaemonFailure) -> AccessRequest {
        var wanted: [WantedAccess] = []
        for access in accesses { wanted.append(WantedAccess(access.mode, try path(access.path))) }
        let presenter = terms.agent.flatMap { agent in state.withLock { $0.numbers[ObjectIdentifier(agent)] } }
        return AccessRequest(
            accesses: wanted, purpose: terms.purpose, within: terms.enclosure?.claim,
            withinPresenter: terms.enclosure?.presenter, presenter: presenter)
    }

    /// Returns the path relative to the mount.
    func path(_ absolute: String) throws(DaemonFailure) -> MountPath {
        do { return try MountPath(bytes: Array(absolute.utf8.dropFirst(root.utf8.count))) } catch {
            throw DaemonFailure(.invalidRequest, "the path is not in the mount", path: absolute)
        }
    }

    // MARK: Other requests

    /// Sends a request to the daemon without waiting. The completion is called once, on the reading thread.
    ///
    /// - Returns: A function to cancel the request; the completion may still be called.
    func send<Call: DaemonCall>(
        _ request: Call, _ completion: @escaping @Sendable (Result<Call.Response, DaemonFailure>) -> Void
    ) throws(DaemonFailure) -> @Sendable () -> Void {
        let connection = try connection()
        let id = connection.send(request) { _, answer in completion(answer) }
        return { connection.unfollow(id) }
    }

    /// Sends a request to the daemon and waits for its response.
    func call<Call: DaemonCall>(_ request: Call) throws(DaemonFailure) -> Call.Response {
        try connection().call(request)
    }

    /// Subscribes to events. `onEnd` is called once, with the reason unless the end was requested.
    ///
    /// - Returns: A function to end the subscription.
    func follow(
        _ request: some DaemonCall, onEvent: @escaping @Sendable (DaemonEvent) -> Void,
        onEnd: @escaping @Sendable (DaemonFailure?) -> Void
    ) throws(DaemonFailure) -> @Sendable () -> Void {
        let connection = try connection()
        let id = connection.follow(request, onEvent: onEvent, onEnd: onEnd)
        return { connection.unfollow(id) }
    }

    /// Waits until the bytes of an item, or of everything in a folder, are local.
    func download(_ absolute: String) throws(DaemonFailure) {
        let items = try call(DownloadRequest(paths: [try path(absolute)], wait: true))
        if let failure = items.outcomes.first?.failure { throw failure }
    }

    /// Returns the value of an item's extended attribute in the mount; nil if it has none.
    static func attribute(_ name: String, of path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = getxattr(path, "user.ubiquity.\(name)", &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    // MARK: Connection

    private func connection() throws(DaemonFailure) -> MountConnection {
        if let connection = alive { return connection }
        return try connecting.withLock { _ throws(DaemonFailure) in
            if let connection = alive { return connection }
            let connection = try connect()
            state.withLock { state in
                state.connection = connection
                state.agents = [:]
                state.numbers = [:]
                state.isReadingLetters = false
            }
            for (agent, path) in state.withLock({ Array($0.paths.values) }) { register(agent, path, connection) }
            return connection
        }
    }

    private var alive: MountConnection? { state.withLock { $0.connection.flatMap { $0.isOver ? nil : $0 } } }

    private func connect() throws(DaemonFailure) -> MountConnection {
        guard let record = MountRegistry.standard.records().first(where: { $0.mount == root }) else {
            throw DaemonFailure(.failed, "no daemon serves this mount", path: root)
        }
        return try MountConnection(record) { [weak self] in
            self?.handle($0)
        } onEnd: { [weak self] in
            self?.reconnectForPresenters()
        }
    }

    /// Reconnects, since presenters would otherwise receive nothing until the next access. Retries every second until a daemon responds.
    private func reconnectForPresenters() {
        let begins = state.withLock { state in
            guard !state.paths.isEmpty, !state.isReconnecting else { return false }
            state.isReconnecting = true
            return true
        }
        if begins { tryReconnecting() }
    }

    private func tryReconnecting() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self else { return }
            let isWanted = state.withLock { !$0.paths.isEmpty }
            // A failure is retried below.
            if isWanted, (try? connection()) == nil { return tryReconnecting() }
            state.withLock { $0.isReconnecting = false }
        }
    }

    // MARK: Presenters

    func add(_ agent: PresenterAgent, at path: String) {
        state.withLock { $0.paths[ObjectIdentifier(agent)] = (agent, path) }
        // Without a daemon, the presenter is registered as soon as the daemon is available.
        guard let connection = try? connection() else { return reconnectForPresenters() }
        let isKnown = state.withLock { $0.numbers[ObjectIdentifier(agent)] != nil }
        if !isKnown { register(agent, path, connection) }
    }

    /// Registers the presenter. Returns when the daemon has registered or refused it. A refused presenter, such as of
    /// an item in a nonexistent folder, receives nothing.
    private func register(_ agent: PresenterAgent, _ path: String, _ connection: MountConnection) {
        // A path no mount can have is never presented.
        guard let mountPath = try? self.path(path) else { return }
        let begins = state.withLock { state in
            state.registrations += 1
            defer { state.isReadingLetters = true }
            return !state.isReadingLetters
        }
        if begins { connection.send(PresenterEventsRequest()) { _, _ in } }
        let done = BlockingPromise<Bool>()
        let request = PresentRequest(path: mountPath, callbacks: agent.callbacks, observed: agent.observed)
        connection.send(request) { [self] _, answer in
            if case .success(let response) = answer { enter(agent, response.presenter, connection) }
            state.withLock { state in
                state.registrations -= 1
                if state.registrations == 0 { state.early = [:] }
            }
            done.put(true)
        }
        _ = done.take()
    }

    private func enter(_ agent: PresenterAgent, _ number: UInt64, _ connection: MountConnection) {
        let (isWanted, deliveries) = state.withLock { state in
            guard state.paths[ObjectIdentifier(agent)] != nil else { return (false, [PresenterAgent.Delivery]()) }
            state.agents[number] = agent
            state.numbers[ObjectIdentifier(agent)] = number
            return (true, state.early.removeValue(forKey: number) ?? [])
        }
        guard isWanted else { return connection.withdraw(number) }
        agent.enter(self, .presenter(PresenterID(number)))
        for delivery in deliveries { agent.put(delivery) }
    }

    func remove(_ agent: PresenterAgent) {
        let (number, connection) = state.withLock { state in
            state.paths[ObjectIdentifier(agent)] = nil
            let number = state.numbers.removeValue(forKey: ObjectIdentifier(agent))
            if let number { state.agents[number] = nil }
            return (number, state.connection)
        }
        if let number { connection?.withdraw(number) }
    }

    func answer(_ question: UInt64, failure: String?) {
        // If the daemon is gone, no answer is needed.
        alive?.send(AnswerRequest(question: question, failure: failure)) { _, _ in }
    }

    /// Does nothing: the daemon observes every move.
    func moved(_ path: String, to newPath: String) {}

    /// Does nothing: the daemon observes the disappearance.
    func left(_ path: String) {}

    private func handle(_ event: DaemonEvent) {
        guard let (number, delivery) = PresenterAgent.Delivery.from(event, root: root) else { return }
        let agent = state.withLock { state in
            if state.agents[number] == nil, state.registrations > 0 {
                state.early[number, default: []].append(delivery)
            }
            return state.agents[number]
        }
        agent?.put(delivery)
    }
}

extension MountConnection {
    /// Releases a claim, or cancels its request. The response is ignored.
    fileprivate func finish(_ id: UInt64) { post(FinishRequest(claim: id, isQuiet: true)) }

    fileprivate func withdraw(_ number: UInt64) { send(WithdrawRequest(presenter: number)) { _, _ in } }
}
