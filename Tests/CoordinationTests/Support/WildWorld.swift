import CloudModel
import TestSupport

@testable import Coordination

/// Programs that do anything: nest, rename, delete, freeze, die. Each accessor and each callback does one thing at a
/// time and does not end before its own claims.
struct WildWorld {
    /// Whether things happen that only the clock ends: frozen and silent clients.
    let isUnreliable: Bool
    var tree = FakeTree("a.txt", "b.txt", "f/c.txt", "f/g/d.txt", "d.pkg/x.txt", "d.pkg/e.pkg/y.txt", "g")
    var table = ClaimTable()
    var random: SeededGenerator
    var now = Duration.zero
    var violations: [String] = []
    /// Each live claim's accessor or callback.
    private var enclosures: [ClaimID: Enclosure?] = [:]
    private var requests: [ClaimID: ClaimRequest] = [:]
    private(set) var granted: Set<ClaimID> = []
    private var questions: [AskID: PresenterID] = [:]
    private var presenters: [PresenterID: PresenterRegistration] = [:]
    private var frozen: Set<ClientID> = []
    private var nextNumber: UInt64 = 0

    init(seed: UInt64, isUnreliable: Bool) {
        self.isUnreliable = isUnreliable
        random = SeededGenerator(seed: seed)
    }

    var waiting: [ClaimID] { requests.keys.filter { !granted.contains($0) }.sorted() }

    mutating func step() {
        switch random.number(0..<100) {
        case ..<35: request()
        case ..<55: if let claim = random.pick(leaves) { send(.finished(claim)) }
        case ..<68: answer()
        case ..<73: if let claim = random.pick(waiting) { send(.cancelled(claim)) }
        case ..<80: register()
        case ..<82: if let id = random.pick(presenters.keys.sorted()) { unregister(id) }
        case ..<92: changeTree()
        case ..<93: die(randomClient())
        case ..<96: if isUnreliable { freezeOrThaw() }
        default: if isUnreliable { pass(.seconds(random.number(1..<8))) }
        }
    }

    /// Lets every client do its duty and request nothing more. The clock does not advance, which suffices if all
    /// clients are reliable.
    mutating func settle() {
        for client in frozen.sorted() { thaw(client) }
        var isMoving = true
        while isMoving {
            let before = (requests.count, questions.count, granted.count)
            for claim in leaves { send(.finished(claim)) }
            for ask in questions.keys.sorted() where canAnswer(ask) { answer(ask, .done) }
            isMoving = before != (requests.count, questions.count, granted.count)
        }
    }

    /// Keeps the frozen clients frozen while the others do their duty, and time passes.
    mutating func endFrozen() {
        for _ in 0..<20 {
            for claim in leaves { send(.finished(claim)) }
            for ask in questions.keys.sorted() where canAnswer(ask) { answer(ask, .done) }
            pass(.seconds(10))
        }
    }

    var othersWaiting: [ClaimID] { waiting.filter { !frozen.contains(requests[$0]?.client ?? ClientID(0)) } }

    // MARK: Actions of programs

    private mutating func randomClient() -> ClientID { ClientID(UInt64(random.number(1..<6))) }

    private mutating func request() {
        nextNumber += 1
        let id = ClaimID(nextNumber)
        var client = randomClient()
        let enclosure = random.chance(45) ? randomEnclosure() : nil
        switch enclosure {
        case .claim(let outer): client = requests[outer]?.client ?? client
        case .presenter(let presenter): client = presenters[presenter]?.client ?? client
        case nil: break
        }
        // A client's message from before its freeze may arrive afterwards.
        guard !frozen.contains(client) || enclosure == nil else { return }
        let own = presenters.keys.filter { presenters[$0]?.client == client }.sorted()
        let request = ClaimRequest(
            client: client, purpose: randomPurpose(client),
            accesses: (0..<random.number(1..<4)).map { _ in randomAccess() },
            presenter: random.chance(40) ? random.pick(own) : nil, enclosure: enclosure,
            patience: isUnreliable && random.chance(20) ? .seconds(random.number(0..<20)) : nil)
        requests[id] = request
        enclosures[id] = .some(enclosure)
        send(.requested(id, request))
    }

    private mutating func randomEnclosure() -> Enclosure? {
        if random.chance(50), let claim = random.pick(leaves) { return .claim(claim) }
        let idle = presenters.keys.filter { !isBusy(.presenter($0)) }.sorted()
        return random.pick(idle).map(Enclosure.presenter)
    }

    private mutating func randomPurpose(_ client: ClientID) -> Purpose {
        switch random.number(0..<12) {
        case 0: .named("p")
        case 1: .plain
        default: .coordinator(client, UInt64(random.number(0..<6)))
        }
    }

    private mutating func randomAccess() -> Access {
        let item = randomItem()
        let mode: Access.Mode = random.chance(5) ? .evicting : .random(&random)
        if random.chance(15) {
            let place = FakeTree.place(random.pick(folders) ?? FakeTree.root, randomName())
            return Access(.vacant(place), mode, place: place, mayCreate: random.chance(50))
        }
        return Access(.item(item), mode, place: tree.place(of: item), mayCreate: random.chance(20))
    }

    private mutating func randomItem() -> ItemNumber { random.pick(tree.nodes.keys.sorted()) ?? FakeTree.root }

    private mutating func randomName() -> String { random.pick(["a.txt", "b.txt", "n.txt", "h", "q.pkg"]) ?? "a.txt" }

    private var folders: [ItemNumber] { tree.nodes.keys.filter { tree.entry(of: $0)?.kind != .file }.sorted() }

    private mutating func register() {
        nextNumber += 1
        let id = PresenterID(nextNumber)
        let client = randomClient()
        guard !frozen.contains(client) else { return }
        let registration = PresenterRegistration(
            client: client, key: .item(randomItem()), callbacks: random.chance(80) ? .all : [.didChange])
        presenters[id] = registration
        send(.registered(id, registration))
    }

    private mutating func unregister(_ id: PresenterID) {
        presenters[id] = nil
        questions = questions.filter { $0.value != id }
        send(.unregistered(id))
    }

    private mutating func answer() {
        let able = questions.keys.filter(canAnswer).sorted()
        if let ask = random.pick(able) { answer(ask, random.chance(92) ? .done : .failed("no")) }
    }

    private mutating func answer(_ ask: AskID, _ answer: PresenterReply) {
        questions[ask] = nil
        send(.answered(ask, answer))
    }

    private func canAnswer(_ ask: AskID) -> Bool {
        guard let presenter = questions[ask], let client = presenters[presenter]?.client else { return false }
        return !isBusy(.presenter(presenter)) && !frozen.contains(client)
    }

    // MARK: Accessors and callbacks

    /// Returns whether the place is in the middle of a call.
    private func isBusy(_ place: Enclosure) -> Bool { enclosures.values.contains(place) }

    /// The claims with accessors able to return now.
    private var leaves: [ClaimID] {
        granted.filter { !isBusy(.claim($0)) && !frozen.contains(requests[$0]?.client ?? ClientID(0)) }.sorted()
    }

    // MARK: Clients and time

    mutating func die(_ client: ClientID) {
        requests = requests.filter { $0.value.client != client }
        forgetEnded()
        presenters = presenters.filter { $0.value.client != client }
        questions = questions.filter { presenters[$0.value] != nil }
        frozen.remove(client)
        send(.clientDied(client))
    }

    private mutating func freezeOrThaw() {
        let client = randomClient()
        if frozen.contains(client) { return thaw(client) }
        // The table knows only clients with a claim or a presenter.
        guard table.clients[client] != nil else { return }
        frozen.insert(client)
        send(.clientFroze(client))
    }

    private mutating func thaw(_ client: ClientID) {
        frozen.remove(client)
        send(.clientThawed(client))
    }

    mutating func pass(_ time: Duration) {
        now += time
        send(.ticked)
    }

    // MARK: The tree

    private mutating func changeTree() {
        let item = randomItem()
        guard let from = tree.place(of: item) else { return }
        let claim = random.chance(50) ? random.pick(granted.sorted()) : nil
        switch random.number(0..<6) {
        case 0: send(.changed(item, by: claim))
        case 1: create(by: claim)
        case 2: remove(item, from, by: claim)
        case 3: replace(item, from, by: claim)
        case 4: setAside(item, from)
        default: move(item, from, by: claim)
        }
    }

    private mutating func create(by claim: ClaimID?) {
        let place = FakeTree.place(random.pick(folders) ?? FakeTree.root, randomName())
        guard tree.item(at: place) == nil else { return }
        send(.created(tree.make(at: place), at: place, by: claim))
    }

    /// Removes an item with everything below it, as when a remote deletion arrives.
    private mutating func remove(_ item: ItemNumber, _ place: ItemPlace, by claim: ClaimID?) {
        let below = tree.nodes.keys.filter { tree.isAbove(item, $0) }
        guard tree.nodes.count - below.count > 4 else { return }
        for item in below { tree.remove(item) }
        tree.remove(item)
        send(.deleted(item, from: place, by: claim))
    }

    private mutating func replace(_ item: ItemNumber, _ place: ItemPlace, by claim: ClaimID?) {
        guard FakeTree.kind(tree.nodes[item]?.name ?? "") == .file else { return }
        tree.remove(item)
        send(.replaced(item, with: tree.make(at: place), by: claim))
    }

    private mutating func setAside(_ item: ItemNumber, _ from: ItemPlace) {
        let place = ItemPlace(folder: from.folder, name: FakeTree.place(from.folder, randomName()).name)
        guard FakeTree.kind(tree.nodes[item]?.name ?? "") == .file, tree.item(at: place) == nil else { return }
        tree.move(item, to: place)
        send(.setAside(item, from: from))
    }

    private mutating func move(_ item: ItemNumber, _ from: ItemPlace, by claim: ClaimID?) {
        let place = FakeTree.place(random.pick(folders) ?? FakeTree.root, randomName())
        guard tree.item(at: place) == nil, place.folder != item, !tree.isAbove(item, place.folder) else { return }
        tree.move(item, to: place)
        send(.moved(item, from: from, to: place, by: claim))
    }

    // MARK: Invariants

    private mutating func send(_ event: ClaimEvent) {
        if case .finished(let claim) = event { end(claim) }
        for action in table.handle(event, now: now, in: tree) { check(action) }
        violations += table.violations().map { "\($0) after \(event)" }
    }

    private mutating func end(_ claim: ClaimID) {
        requests[claim] = nil
        forgetEnded()
    }

    private mutating func forgetEnded() {
        enclosures = enclosures.filter { requests[$0.key] != nil }
        granted = granted.filter { requests[$0] != nil }
    }

    private mutating func check(_ action: ClaimAction) {
        switch action {
        case .grant(let id, let keys): checkGrant(id, keys)
        case .refuse(let id, let error):
            if requests[id] == nil || granted.contains(id) {
                violations.append("\(id) refused (\(error.code)) after its end")
            }
            end(id)
        case .revoke(let id, _):
            if !granted.contains(id) || !isUnreliable { violations.append("\(id) revoked") }
            end(id)
        case .ask(let ask, let presenter, let messages):
            questions[ask] = presenter
            guard let callbacks = presenters[presenter]?.callbacks, !messages.isEmpty else {
                return violations.append("\(presenter) asked for \(messages)")
            }
            if !messages.allSatisfy({ callbacks.contains($0.callback) }) {
                violations.append("\(presenter) cannot \(messages)")
            }
        case .reacquire(_, let presenter), .notify(let presenter, _):
            if presenters[presenter] == nil { violations.append("\(presenter) notified after its end") }
        case .report: break
        }
    }

    /// Checks that no two conflicting claims are granted at once, by the naive rules and by all items' current places.
    private mutating func checkGrant(_ id: ClaimID, _ keys: [ItemKey]) {
        guard let request = requests[id], granted.insert(id).inserted else {
            return violations.append("\(id) granted twice")
        }
        let own = present(request, keys)
        for other in granted where other != id {
            guard let held = table.claims[other] else {
                violations.append("\(other) is not in the table")
                continue
            }
            if NaiveTable.conflict(own, present(held.request, held.holds.map(\.key)), tree) {
                violations.append("\(id) granted beside \(other)")
            }
        }
    }

    private func present(_ request: ClaimRequest, _ keys: [ItemKey]) -> ClaimRequest {
        ClaimRequest(
            client: request.client, purpose: request.purpose,
            accesses: zip(request.accesses, keys).map { Access($1, $0.mode, place: $0.place) })
    }
}
