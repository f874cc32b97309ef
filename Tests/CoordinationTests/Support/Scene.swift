import CloudModel

@testable import Coordination

/// A table with programs around it. A test drives it step by step, and it records all actions.
struct Scene {
    var tree: FakeTree
    var table: ClaimTable
    var now = Duration.zero
    /// All actions requested by the table, in order.
    private(set) var log: [ClaimAction] = []
    private var nextClaim: UInt64 = 0
    private var nextPresenter: UInt64 = 0
    private var nextCoordinator: UInt64 = 0

    init(_ tree: FakeTree, bounds: ClaimBounds = ClaimBounds()) {
        self.tree = tree
        table = ClaimTable(bounds: bounds)
    }

    @discardableResult mutating func send(_ event: ClaimEvent) -> [ClaimAction] {
        let actions = table.handle(event, now: now, in: tree)
        log += actions
        return actions
    }

    mutating func pass(_ time: Duration) {
        now += time
        send(.ticked)
    }

    // MARK: Requests

    /// Returns a unique purpose.
    mutating func purpose(_ client: UInt64) -> Purpose {
        nextCoordinator += 1
        return .coordinator(ClientID(client), nextCoordinator)
    }

    /// Makes a request. A request with a presenter belongs to that presenter's client.
    @discardableResult mutating func request(
        _ accesses: [Access], client: UInt64 = 1, purpose: Purpose? = nil, presenter: PresenterID? = nil,
        inside enclosure: Enclosure? = nil, patience: Duration? = nil
    ) -> ClaimID {
        nextClaim += 1
        let id = ClaimID(nextClaim)
        let client = presenter.flatMap { table.client(of: $0)?.value } ?? client
        let request = ClaimRequest(
            client: ClientID(client), purpose: purpose ?? self.purpose(client), accesses: accesses,
            presenter: presenter,
            enclosure: enclosure, patience: patience)
        send(.requested(id, request))
        return id
    }

    @discardableResult mutating func read(
        _ path: String, _ options: ReadingOptions = [], client: UInt64 = 1, purpose: Purpose? = nil,
        presenter: PresenterID? = nil, inside: Enclosure? = nil, patience: Duration? = nil
    ) -> ClaimID {
        request(
            [Access(tree.key(path), .reading(options))], client: client, purpose: purpose, presenter: presenter,
            inside: inside, patience: patience)
    }

    @discardableResult mutating func write(
        _ path: String, _ option: WritingOption? = nil, client: UInt64 = 1, purpose: Purpose? = nil,
        presenter: PresenterID? = nil, inside: Enclosure? = nil, patience: Duration? = nil, mayCreate: Bool = false
    ) -> ClaimID {
        request(
            [Access(tree.key(path), .writing(option), place: tree.place(path), mayCreate: mayCreate)], client: client,
            purpose: purpose, presenter: presenter, inside: inside, patience: patience)
    }

    mutating func finish(_ claim: ClaimID) { send(.finished(claim)) }

    // MARK: Presenters

    mutating func present(
        _ path: String, client: UInt64 = 9, _ callbacks: Set<PresenterCallback> = .all, purpose: Purpose? = nil,
        observed: UbiquityAttributes = .all
    ) -> PresenterID {
        nextPresenter += 1
        let id = PresenterID(nextPresenter)
        send(
            .registered(
                id,
                PresenterRegistration(
                    client: ClientID(client), key: tree.key(path), callbacks: callbacks, purpose: purpose,
                    observed: observed)))
        return id
    }

    /// Replies to the presenter's last question.
    mutating func answer(_ presenter: PresenterID, _ answer: PresenterReply = .done) {
        if let ask = lastAsk(presenter) { send(.answered(ask, answer)) }
    }

    // MARK: Changes of the tree

    mutating func make(_ path: String, by claim: ClaimID? = nil) {
        let item = tree.make(path)
        send(.created(item, at: tree.place(path), by: claim))
    }

    mutating func change(_ path: String, by claim: ClaimID? = nil) {
        if let item = tree.find(path) { send(.changed(item, by: claim)) }
    }

    mutating func move(_ path: String, to target: String, by claim: ClaimID? = nil) {
        guard let item = tree.find(path) else { return }
        if tree.find(target) != nil { delete(target, by: claim) }
        let (from, to) = (tree.place(path), tree.place(target))
        tree.move(item, to: to)
        send(.moved(item, from: from, to: to, by: claim))
    }

    /// Replaces the document with a new file, as when an editor saves.
    mutating func replace(_ path: String, by claim: ClaimID? = nil) {
        guard let old = tree.find(path) else { return }
        let place = tree.place(path)
        tree.remove(old)
        send(.replaced(old, with: tree.make(at: place), by: claim))
    }

    /// Renames the document to a backup, and creates a new file in its place.
    mutating func setAside(_ path: String, as backup: String) {
        guard let item = tree.find(path) else { return }
        let from = tree.place(path)
        tree.move(item, to: tree.place(backup))
        send(.setAside(item, from: from))
    }

    mutating func delete(_ path: String, by claim: ClaimID? = nil) {
        guard let item = tree.find(path) else { return }
        let place = tree.place(path)
        tree.remove(item)
        send(.deleted(item, from: place, by: claim))
    }

    // MARK: Results

    func isGranted(_ claim: ClaimID) -> Bool {
        log.contains { if case .grant(claim, _) = $0 { true } else { false } }
    }

    func keys(_ claim: ClaimID) -> [ItemKey] {
        for case .grant(claim, let keys) in log { return keys }
        return []
    }

    func error(_ claim: ClaimID) -> ClaimError.Code? {
        for case .refuse(claim, let error) in log { return error.code }
        return nil
    }

    /// Whether the claim is neither granted nor refused.
    func isWaiting(_ claim: ClaimID) -> Bool { !isGranted(claim) && error(claim) == nil }

    /// Returns all questions for a presenter so far.
    func asked(_ presenter: PresenterID) -> [[PresenterMessage]] {
        log.compactMap { if case .ask(_, presenter, let messages) = $0 { messages } else { nil } }
    }

    func lastAsk(_ presenter: PresenterID) -> AskID? {
        log.compactMap { if case .ask(let id, presenter, _) = $0 { id } else { nil } }.last
    }

    func notices(_ presenter: PresenterID) -> [PresenterNotice] {
        log.compactMap { if case .notify(presenter, let notice) = $0 { notice } else { nil } }
    }

    func reacquired(_ presenter: PresenterID) -> Int {
        log.count { if case .reacquire(_, presenter) = $0 { true } else { false } }
    }

    var reports: [ClaimReport] { log.compactMap { if case .report(let report) = $0 { report } else { nil } } }
}
