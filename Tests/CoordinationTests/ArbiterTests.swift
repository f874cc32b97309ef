import Basics
import Synchronization
import TestSupport
import Testing

@testable import Coordination

@Suite("Arbiter")
struct ArbiterTests {
    /// Records all messages.
    private final class Post: ClaimMessenger {
        private let sent = Mutex<[String]>([])
        private let asks = Mutex<[AskID]>([])
        /// Called with every question, as a client would receive it.
        let onAsk = Hook<(AskID, ClientID)>()

        var all: [String] { sent.withLock(\.self) }
        var lastAsk: AskID? { asks.withLock(\.last) }

        func send(_ delivery: PresenterDelivery, to presenter: PresenterID, of client: ClientID) {
            sent.withLock { $0.append("\(delivery)") }
            guard case .ask(let id, _) = delivery else { return }
            asks.withLock { $0.append(id) }
            onAsk((id, client))
        }

        func revoke(_ claim: ClaimID, of client: ClientID) { sent.withLock { $0.append("revoke \(claim)") } }
        func report(_ report: ClaimReport) { sent.withLock { $0.append("\(report)") } }
    }

    /// Counts the accessors inside.
    private final class Door: Sendable {
        private let inside = Mutex(0)
        func enter() -> Int { change(by: 1) }
        func leave() { _ = change(by: -1) }
        private func change(by step: Int) -> Int {
            inside.withLock { count in
                count += step
                return count
            }
        }
    }

    /// Keeps the last outcome.
    private final class Result: Sendable {
        private let outcome = Mutex<Arbiter<ManualClock>.Outcome?>(nil)
        var value: Arbiter<ManualClock>.Outcome? { outcome.withLock { $0 } }
        func set(_ value: Arbiter<ManualClock>.Outcome) { outcome.withLock { $0 = value } }
    }

    private let post = Post()
    private let clock = ManualClock()
    private let tree = FakeTree("a.txt", "b.txt")
    private let arbiter: Arbiter<ManualClock>

    init() {
        arbiter = Arbiter(tree: tree, messenger: post, clock: clock)
    }

    private func request(
        _ path: String = "a.txt", _ mode: Access.Mode = .writing(nil), client: UInt64, patience: Duration? = nil
    ) -> ClaimRequest {
        ClaimRequest(
            client: ClientID(client), purpose: .coordinator(ClientID(client), 0),
            accesses: [Access(tree.key(path), mode)], patience: patience)
    }

    @Test("A claim that has nothing to wait for is granted before the call returns")
    func atOnce() throws {
        let result = Result()
        _ = arbiter.open(request(client: 1)) { result.set($0) }
        #expect(try result.value?.get() == [tree.key("a.txt")])
    }

    @Test("A second writer is granted its claim when the first has finished")
    func turns() async throws {
        let first = try await arbiter.claim(request(client: 1))
        async let second = arbiter.claim(request(client: 2))
        await untilWaiting()
        arbiter.finish(first.id, of: ClientID(1))
        #expect(try await second.items == [tree.key("a.txt")])
    }

    @Test("Only its own client can end a claim, and only the presenter's client can reply for it")
    func foreign() async throws {
        let claim = try await arbiter.claim(request(client: 1))
        arbiter.finish(claim.id, of: ClientID(2))
        arbiter.cancel(claim.id, of: ClientID(2))
        #expect(arbiter.snapshot().claimCount == 1)
        arbiter.finish(claim.id, of: ClientID(1))
        _ = arbiter.register(PresenterRegistration(client: ClientID(1), key: tree.key("a.txt")))
        _ = arbiter.open(request(client: 2)) { _ in }
        let ask = try #require(post.lastAsk)
        arbiter.answer(ask, .done, of: ClientID(2))
        #expect(held.first?.stage == .asking)
        arbiter.answer(ask, .done, of: ClientID(1))
        #expect(held.first?.stage == .granted)
    }

    @Test("A presenter may reply from inside its callback")
    func answersInside() async throws {
        let arbiter = arbiter
        post.onAsk.set { ask, client in arbiter.answer(ask, .done, of: client) }
        _ = arbiter.register(PresenterRegistration(client: ClientID(1), key: tree.key("a.txt")))
        let claim = try await arbiter.claim(request(client: 2))
        arbiter.finish(claim.id, of: ClientID(2))
        #expect(post.all.count == 2 && post.all.last?.hasPrefix("reacquire") == true)
    }

    @Test("A cancelled task's request is cancelled")
    func cancelled() async throws {
        _ = try await arbiter.claim(request(client: 1))
        let arbiter = arbiter
        let second = request(client: 2)
        let task = Task { try await arbiter.claim(second) }
        await untilWaiting()
        task.cancel()
        await #expect(throws: ClaimError(.cancelled, "")) { try await task.value }
    }

    @Test("The timer ends a request whose time limit has passed")
    func patience() async throws {
        _ = try await arbiter.claim(request(client: 1))
        async let second = arbiter.claim(request(client: 2, patience: .seconds(5)))
        await clock.untilSleeping(before: .seconds(5))
        clock.advance(by: .seconds(5))
        do {
            _ = try await second
            Issue.record("it was granted")
        } catch {
            #expect(error as? ClaimError == ClaimError(.timedOut, ""))
        }
    }

    @Test("The timer passes over a silent presenter, although a later timer was set first")
    func silent() async throws {
        _ = try await arbiter.claim(request("b.txt", client: 3))
        _ = arbiter.open(request("b.txt", client: 4, patience: .seconds(100))) { _ in }
        _ = arbiter.register(PresenterRegistration(client: ClientID(1), key: tree.key("a.txt")))
        async let claim = arbiter.claim(request(client: 2))
        await clock.untilSleeping(before: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await claim.items.count == 1)
        #expect(post.all.contains { $0.hasPrefix("presenterSilent") })
    }

    @Test("Requests that wait for a client that dies fail, and its claims are released")
    func dead() async throws {
        _ = try await arbiter.claim(request(client: 2))
        _ = try await arbiter.claim(request("b.txt", client: 1))
        let arbiter = arbiter
        let waiting = request(client: 1)
        let task = Task { try await arbiter.claim(waiting) }
        await untilWaiting()
        arbiter.end(ClientID(1))
        await #expect(throws: ClaimError(.cancelled, "")) { try await task.value }
        _ = try await arbiter.claim(request("b.txt", client: 3))
    }

    @Test("With many threads, no two writers are inside at once")
    func crowd() async throws {
        let arbiter = arbiter
        let door = Door()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 1...8 as ClosedRange<UInt64> {
                let request = request(client: client)
                group.addTask {
                    for _ in 0..<200 {
                        let claim = try await arbiter.claim(request)
                        #expect(door.enter() == 1)
                        await Task.yield()
                        door.leave()
                        arbiter.finish(claim.id, of: request.client)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(arbiter.snapshot().claimCount == 0)
    }

    /// All claims held at `a.txt`.
    private var held: [ClaimSnapshot.HeldBy] {
        arbiter.snapshot().items.first { $0.key == tree.key("a.txt") }?.claims ?? []
    }

    /// Waits until a claim waits for a granted claim.
    private func untilWaiting() async {
        while !held.contains(where: { $0.stage == .waiting }) { await Task.yield() }
    }
}
