import CloudModel
import TestSupport
import Testing

@testable import Coordination

/// Compares the table with the naive table, event by event.
@Suite("Claims against a naive reference")
struct ReferenceTests {
    @Test("With random events both grant, refuse and ask the same at the same step", arguments: 0..<60)
    func random(seed: UInt64) {
        var pair = Pair(FakeTree("a.txt", "f/b.txt", "f/g/c.txt", "f/h.pkg/z.txt", "d.pkg/x.txt", "d.pkg/e.pkg/y.txt"))
        var random = SeededGenerator(seed: seed)
        for step in 0..<150 {
            let event = pair.randomEvent(&random)
            let (ours, naive) = pair.send(event)
            guard ours == naive else {
                Issue.record("seed \(seed), step \(step), \(event): ours \(ours), naive \(naive)")
                return
            }
        }
    }

    @Test("Every history of four requests for a file and its folder has the same result in both")
    func exhaustive() {
        let tree = FakeTree("f/a.txt")
        let choices: [[Access]] = [
            [Access(tree.key("f/a.txt"), .reading([]))], [Access(tree.key("f/a.txt"), .writing(nil))],
            [Access(tree.key("f"), .writing(.deleting))],
        ]
        var search = Search(choices: choices, limit: 4)
        search.explore(Pair(tree))
        #expect(search.differences.isEmpty, "\(search.differences.prefix(3))")
        #expect(search.histories > 5_000)
    }

    @Test("Every history of three requests for one or two items, a folder and a package has the same result in both")
    func exhaustiveKinds() {
        let tree = FakeTree("f/a.txt", "d.pkg/x.txt")
        let both = [Access(tree.key("f/a.txt"), .writing(nil)), Access(tree.key("d.pkg/x.txt"), .writing(nil))]
        let choices: [[Access]] = [
            [Access(tree.key("f/a.txt"), .reading([]))], [Access(tree.key("f/a.txt"), .writing(nil))],
            [Access(tree.key("f"), .writing(.deleting))], [Access(tree.key("d.pkg"), .reading([]))], both,
        ]
        var search = Search(choices: choices, limit: 3)
        search.explore(Pair(tree))
        #expect(search.differences.isEmpty, "\(search.differences.prefix(3))")
        #expect(search.histories > 1_000)
    }

    @Test("Every history of three requests with presenters that reply, fail or disappear has the same result in both")
    func exhaustiveWithPresenters() {
        let tree = FakeTree("f/a.txt")
        let choices: [[Access]] = [
            [Access(tree.key("f/a.txt"), .reading([]))], [Access(tree.key("f/a.txt"), .writing(nil))],
            [Access(tree.key("f"), .writing(.deleting))],
        ]
        var pair = Pair(tree)
        for (number, path) in ["f/a.txt", "f"].enumerated() {
            let registration = PresenterRegistration(client: ClientID(9), key: tree.key(path))
            _ = pair.send(.register(PresenterID(UInt64(number)), registration))
        }
        var search = Search(choices: choices, limit: 3)
        search.explore(pair)
        #expect(search.differences.isEmpty, "\(search.differences.prefix(3))")
        #expect(search.histories > 10_000)
    }
}

/// Tries every order of requests and ends. Each request is among the choices.
private struct Search {
    let choices: [[Access]]
    let limit: Int
    var differences: [String] = []
    var histories = 0

    mutating func explore(_ pair: Pair, made: Int = 0, _ history: [NaiveTable.Event] = []) {
        let next = events(pair, made)
        if next.isEmpty { histories += 1 }
        for event in next where differences.count < 3 {
            var copy = pair
            let (ours, naive) = copy.send(event)
            guard ours == naive else {
                differences.append("\(history) \(event): ours \(ours), naive \(naive)")
                continue
            }
            var isRequest = false
            if case .request = event { isRequest = true }
            explore(copy, made: made + (isRequest ? 1 : 0), history + [event])
        }
    }

    private func events(_ pair: Pair, _ made: Int) -> [NaiveTable.Event] {
        var events: [NaiveTable.Event] = []
        if made < limit {
            events += choices.map { accesses in
                let client = ClientID(UInt64(made))
                return .request(
                    ClaimID(UInt64(made)),
                    ClaimRequest(client: client, purpose: .coordinator(client, 0), accesses: accesses))
            }
        }
        let granted = pair.naive.granted
        events += pair.naive.live.map { granted.contains($0) ? .finish($0) : .cancel($0) }
        // Only one question is answered at a time: the order of replies among presenters adds no coverage.
        if let question = pair.questions.keys.min(by: { ($0.claim, $0.presenter) < ($1.claim, $1.presenter) }) {
            events += [.answer(question, isDone: true), .answer(question, isDone: false)]
        }
        return events
    }
}

/// Both tables, with the same events.
private struct Pair {
    let tree: FakeTree
    var table = ClaimTable()
    var naive: NaiveTable
    var now = Duration.zero
    var questions: [NaiveTable.Question: AskID] = [:]
    private var nextNumber: UInt64 = 0
    private var presenters: [PresenterID] = []

    init(_ tree: FakeTree) {
        self.tree = tree
        naive = NaiveTable(tree)
    }

    mutating func send(_ event: NaiveTable.Event) -> (Set<NaiveTable.Outcome>, Set<NaiveTable.Outcome>) {
        let naive = self.naive.handle(event)
        guard let own = translate(event) else { return ([], naive) }
        let actions = table.handle(own, now: now, in: tree)
        let ours = Set(actions.compactMap { outcome($0) })
        questions = questions.filter { table.client(of: $0.value) != nil }
        return (ours, naive)
    }

    private mutating func translate(_ event: NaiveTable.Event) -> ClaimEvent? {
        switch event {
        case .request(let id, let request): return .requested(id, request)
        case .finish(let id): return .finished(id)
        case .cancel(let id): return .cancelled(id)
        case .answer(let question, let isDone):
            guard let ask = questions.removeValue(forKey: question) else { return nil }
            return .answered(ask, isDone ? .done : .failed("no"))
        case .register(let id, let registration):
            presenters.append(id)
            return .registered(id, registration)
        case .unregister(let id):
            presenters.removeAll { $0 == id }
            return .unregistered(id)
        case .die(let client):
            presenters.removeAll { table.client(of: $0) == client }
            return .clientDied(client)
        case .pass(let time):
            now += time
            return .ticked
        }
    }

    private mutating func outcome(_ action: ClaimAction) -> NaiveTable.Outcome? {
        switch action {
        case .grant(let id, _): return .grant(id)
        case .refuse(let id, let error): return .refuse(id, error.code)
        case .reacquire(_, let presenter): return .reacquire(presenter)
        case .ask(let ask, let presenter, let messages):
            // The question may have ended within the same event; then it is not asked again.
            guard let claim = table.asks[ask]?.claim else { return nil }
            questions[.init(presenter: presenter, claim: claim)] = ask
            return .ask(presenter, claim, Set(messages))
        default: return nil
        }
    }

    // MARK: Random events

    mutating func randomEvent(_ random: inout SeededGenerator) -> NaiveTable.Event {
        nextNumber += 1
        let client = ClientID(UInt64(random.number(1..<5)))
        let question = questions.keys.sorted { ($0.claim, $0.presenter) < ($1.claim, $1.presenter) }.randomElement(
            using: &random)
        switch random.number(0..<100) {
        case ..<40: return .request(ClaimID(nextNumber), randomRequest(client, &random))
        case ..<60: if let id = random.pick(naive.granted) { return .finish(id) }
        case ..<65: if let id = random.pick(naive.live) { return .cancel(id) }
        case ..<82: if let question { return .answer(question, isDone: random.chance(90)) }
        case ..<85: if let id = random.pick(presenters) { return .unregister(id) }
        case ..<92:
            let callbacks: Set<PresenterCallback> = random.chance(70) ? .all : [.relinquishToWriter, .didChange]
            return .register(
                PresenterID(nextNumber),
                PresenterRegistration(
                    client: client, key: randomKey(&random), callbacks: callbacks,
                    purpose: random.chance(10) ? .named("p") : nil))
        case ..<94: return .die(client)
        default: break
        }
        return .pass(.seconds(random.number(1..<6)))
    }

    private mutating func randomRequest(_ client: ClientID, _ random: inout SeededGenerator) -> ClaimRequest {
        let accesses = (0..<random.number(1..<4)).map { _ in Access(randomKey(&random), .random(&random)) }
        let purpose: Purpose =
            switch random.number(0..<10) {
            case 0: .named("p")
            case 1: .plain
            default: .coordinator(client, UInt64(random.number(0..<20)))
            }
        return ClaimRequest(
            client: client, purpose: purpose, accesses: accesses,
            presenter: random.chance(50) ? random.pick(presenters.filter { table.client(of: $0) == client }) : nil,
            patience: random.chance(20) ? .seconds(random.number(1..<20)) : nil)
    }

    private func randomKey(_ random: inout SeededGenerator) -> ItemKey {
        .item(random.pick(tree.nodes.keys.sorted()) ?? FakeTree.root)
    }
}

extension Access.Mode {
    static func random(_ random: inout SeededGenerator) -> Access.Mode {
        guard random.chance(50) else {
            return .reading(ReadingOptions(rawValue: [0, 0, 1, 4, 8].randomElement(using: &random) ?? 0))
        }
        return .writing(random.chance(40) ? nil : random.pick(WritingOption.allCases))
    }
}
