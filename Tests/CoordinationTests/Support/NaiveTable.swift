@testable import Coordination

/// A second implementation of the rules, without an index or a graph: it compares every claim with all claims and all
/// presenters. It does not cover nesting, freezing or moves.
struct NaiveTable {
    enum Outcome: Hashable {
        case grant(ClaimID)
        case refuse(ClaimID, ClaimError.Code)
        case ask(PresenterID, ClaimID, Set<PresenterMessage>)
        case reacquire(PresenterID)
    }

    struct Question: Hashable {
        let presenter: PresenterID
        let claim: ClaimID
    }

    private struct Held {
        let id: ClaimID
        let request: ClaimRequest
        let giveUp: Duration?
        var isAsking = false
        var isGranted = false
        /// The claims this claim waits for.
        var behind: Set<ClaimID> = []
    }

    let tree: FakeTree
    var now = Duration.zero
    private var held: [Held] = []
    private var presenters: [PresenterID: PresenterRegistration] = [:]
    private var silent: Set<PresenterID> = []
    /// Questions without a reply, with the time when each was asked and whether a claim still waits for it.
    private var open: [Question: (since: Duration, isAwaited: Bool)] = [:]
    /// Questions with presenters that made way for a live claim.
    private var gaveWay: Set<Question> = []
    private var relinquished: Set<Question> = []
    private var outcomes: Set<Outcome> = []

    init(_ tree: FakeTree) { self.tree = tree }

    var live: [ClaimID] { held.map(\.id) }
    var granted: [ClaimID] { held.filter(\.isGranted).map(\.id) }

    mutating func handle(_ event: Event) -> Set<Outcome> {
        outcomes = []
        switch event {
        case .request(let id, let request): enter(id, request)
        case .finish(let id): if granted.contains(id) { remove(id) }
        case .cancel(let id): if live.contains(id), !granted.contains(id) { refuse(id, .cancelled) }
        case .answer(let question, let isDone): answer(question, isDone: isDone)
        case .register(let id, let registration): presenters[id] = registration
        case .unregister(let id): unregister(id)
        case .die(let client):
            for id in presenters.keys where presenters[id]?.client == client { unregister(id) }
            for claim in held where claim.request.client == client { remove(claim.id) }
        case .pass(let time): now += time
        }
        goOn()
        giveUp()
        goOn()
        return outcomes
    }

    enum Event {
        case request(ClaimID, ClaimRequest)
        case finish(ClaimID)
        case cancel(ClaimID)
        case answer(Question, isDone: Bool)
        case register(PresenterID, PresenterRegistration)
        case unregister(PresenterID)
        case die(ClientID)
        case pass(Duration)
    }

    // MARK: Claims

    private mutating func enter(_ id: ClaimID, _ request: ClaimRequest) {
        var claim = Held(id: id, request: request, giveUp: request.patience.map { now + $0 })
        for index in held.indices where Self.conflict(held[index].request, request, tree) {
            if request.purpose == .plain, !held[index].isAsking { continue }
            if !held[index].isGranted, let own = request.presenter, awaits(held[index].id, own) {
                held[index].behind.insert(id)
            } else {
                claim.behind.insert(held[index].id)
            }
        }
        held.append(claim)
    }

    /// Returns whether the claim cannot begin before the presenter has replied.
    private func awaits(_ id: ClaimID, _ presenter: PresenterID) -> Bool {
        if open[Question(presenter: presenter, claim: id)]?.isAwaited == true { return true }
        return held.first { $0.id == id }?.behind.contains { awaits($0, presenter) } ?? false
    }

    private mutating func goOn() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for claim in held where !claim.isGranted && claim.behind.isEmpty {
                isMoving = advance(claim.id) || isMoving
            }
        }
    }

    private mutating func advance(_ id: ClaimID) -> Bool {
        guard let index = held.firstIndex(where: { $0.id == id }), held[index].behind.isEmpty else { return false }
        if held[index].request.purpose == .plain, !pass(at: index) { return false }
        let wasAsking = held[index].isAsking
        if !wasAsking {
            held[index].isAsking = true
            ask(for: held[index])
        }
        guard !open.contains(where: { $0.key.claim == id && $0.value.isAwaited }) else { return !wasAsking }
        held[index].isGranted = true
        outcomes.insert(.grant(id))
        return true
    }

    /// Returns whether no claim is in the way of a plain request, checked only at its turn. The request passes waiting
    /// claims, and claims waiting for its own presenter.
    private mutating func pass(at index: Int) -> Bool {
        let (id, request) = (held[index].id, held[index].request)
        let others = held.indices.filter { other in
            other != index && !held[other].behind.contains(id) && Self.conflict(held[other].request, request, tree)
        }
        let passed = others.filter { other in
            !held[other].isAsking
                || !held[other].isGranted && request.presenter.map { awaits(held[other].id, $0) } == true
        }
        let holders = Set(others).subtracting(passed)
        held[index].behind = Set(holders.map { held[$0].id })
        guard holders.isEmpty else { return false }
        for other in passed { held[other].behind.insert(id) }
        return true
    }

    private mutating func refuse(_ id: ClaimID, _ code: ClaimError.Code) {
        outcomes.insert(.refuse(id, code))
        remove(id)
    }

    private mutating func remove(_ id: ClaimID) {
        held.removeAll { $0.id == id }
        for index in held.indices { held[index].behind.remove(id) }
        for question in open.keys where question.claim == id { open[question]?.isAwaited = false }
        for question in gaveWay where question.claim == id {
            gaveWay.remove(question)
            if relinquished.remove(question) != nil { outcomes.insert(.reacquire(question.presenter)) }
        }
    }

    private mutating func giveUp() {
        let times = open.values.map { $0.since + .seconds(10) } + held.compactMap(\.giveUp)
        for time in Set(times).sorted() where time <= now { giveUp(at: time) }
    }

    private mutating func giveUp(at time: Duration) {
        for (question, asked) in open where asked.isAwaited && asked.since + .seconds(10) == time {
            open[question]?.isAwaited = false
            silent.insert(question.presenter)
        }
        for claim in held where claim.giveUp == time {
            goOn()
            if live.contains(claim.id), !granted.contains(claim.id) { refuse(claim.id, .timedOut) }
        }
    }

    // MARK: Presenters

    private mutating func ask(for claim: Held) {
        for (id, registration) in presenters where !silent.contains(id) {
            let messages = Self.messages(to: id, registration, claim.request, tree)
            guard !messages.isEmpty else { continue }
            let question = Question(presenter: id, claim: claim.id)
            open[question] = (now, true)
            if messages.contains(where: \.isRelinquish) { relinquished.insert(question) }
            outcomes.insert(.ask(id, claim.id, messages))
        }
    }

    private mutating func answer(_ question: Question, isDone: Bool) {
        guard let asked = open.removeValue(forKey: question) else { return }
        silent.remove(question.presenter)
        gaveWay.insert(question)
        if !live.contains(question.claim) { return remove(question.claim) }
        if asked.isAwaited, !isDone { refuse(question.claim, .presenterFailed) }
    }

    private mutating func unregister(_ id: PresenterID) {
        presenters[id] = nil
        silent.remove(id)
        open = open.filter { $0.key.presenter != id }
        gaveWay = gaveWay.filter { $0.presenter != id }
    }
}
