import CloudModel
import Testing

@testable import Coordination

/// Failures of the original, and this implementation's decisions about them, one test each.
@Suite("Coordination with slow, frozen and dead clients")
struct UnresponsiveClientTests {
    @Test("A claim does not look at 100,000 presenters of other items")
    func manyPresenters() {
        var scene = Scene(FakeTree("f/a.txt", "f/b.txt"))
        for index in 0..<100_000 {
            _ = scene.present("f/a.txt", client: UInt64(10 + index % 8), index % 2 == 0 ? .all : [])
        }
        let before = scene.log.count
        let claim = scene.write("f/b.txt")
        scene.change("f/b.txt", by: claim)
        scene.finish(claim)
        #expect(scene.log.count == before + 1, "there is nothing but the grant")
    }

    @Test(
        "An unanswered question times out and is reported; the presenter is not waited for again until it replies"
    )
    func unanswered() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let first = scene.write("a.txt")
        scene.pass(.seconds(9))
        #expect(scene.isWaiting(first))
        scene.pass(.seconds(1))
        #expect(scene.isGranted(first) && scene.reports == [.presenterSilent(presenter, first)])
        scene.finish(first)
        let second = scene.write("a.txt")
        #expect(scene.isGranted(second) && scene.asked(presenter).count == 1)
        scene.finish(second)
        scene.answer(presenter)
        #expect(scene.reacquired(presenter) == 1, "what it gave up late it may take back")
        let third = scene.write("a.txt")
        #expect(scene.isWaiting(third) && scene.asked(presenter).count == 2)
    }

    @Test("A folder nested deeper than any call stack can be claimed and shown")
    func deep() {
        let path = Array(repeating: "d", count: 20_000).joined(separator: "/") + "/a.txt"
        var scene = Scene(FakeTree(path))
        let claim = scene.write(path)
        #expect(scene.isGranted(claim) && scene.table.snapshot(at: .zero).items.last?.depth == 20_001)
        scene.finish(claim)
        #expect(scene.table.snapshot(at: .zero).items.isEmpty)
    }

    @Test("A dead client's claims, requests and presenters end at once")
    func dead() {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        scene.write("a.txt", client: 1)
        scene.write("a.txt", client: 1)
        let waiter = scene.write("a.txt", client: 2)
        _ = scene.present("b.txt", client: 1)
        let asker = scene.read("b.txt", client: 3)
        #expect(scene.isWaiting(waiter) && scene.isWaiting(asker))
        scene.send(.clientDied(ClientID(1)))
        #expect(scene.isGranted(waiter) && scene.isGranted(asker))
    }

    @Test("Other programs are notified of changes that a dead client made under its claim")
    func deadWriter() {
        var scene = Scene(FakeTree("a.txt"))
        let claim = scene.write("a.txt", client: 1)
        let presenter = scene.present("a.txt")
        scene.change("a.txt", by: claim)
        scene.send(.clientDied(ClientID(1)))
        #expect(scene.notices(presenter) == [.changed])
    }

    @Test("A frozen client counts as one that does not reply, and others overtake its requests")
    func frozen() {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        _ = scene.present("a.txt", client: 1)
        let asker = scene.read("a.txt", client: 2)
        let holder = scene.write("b.txt", client: 2)
        let frozen = scene.write("b.txt", client: 1)
        let behind = scene.write("b.txt", client: 3)
        scene.send(.clientFroze(ClientID(1)))
        #expect(scene.isGranted(asker) && scene.isWaiting(behind))
        scene.finish(holder)
        #expect(scene.isGranted(behind) && scene.isWaiting(frozen))
        scene.send(.clientThawed(ClientID(1)))
        #expect(scene.isWaiting(frozen), "another holds the item now")
        scene.finish(behind)
        #expect(scene.isGranted(frozen))
    }

    @Test(
        "A client frozen inside an accessor keeps its claim for a limited time, then loses it, and the loss is reported"
    )
    func frozenHolder() {
        var scene = Scene(FakeTree("a.txt"))
        let holder = scene.write("a.txt", client: 1)
        let waiter = scene.write("a.txt", client: 2)
        scene.send(.clientFroze(ClientID(1)))
        scene.pass(.seconds(29))
        #expect(scene.isWaiting(waiter))
        scene.pass(.seconds(1))
        #expect(scene.isGranted(waiter) && scene.log.contains(.revoke(holder, ClientID(1))))
        #expect(scene.reports == [.claimRevoked(holder, ClientID(1))])
    }

    @Test("A client that continues in time keeps its claim")
    func thawedHolder() {
        var scene = Scene(FakeTree("a.txt"))
        scene.write("a.txt", client: 1)
        let waiter = scene.write("a.txt", client: 2)
        scene.send(.clientFroze(ClientID(1)))
        scene.pass(.seconds(29))
        scene.send(.clientThawed(ClientID(1)))
        scene.pass(.seconds(60))
        #expect(scene.isWaiting(waiter) && scene.reports.isEmpty)
    }

    @Test("A client cannot request a claim inside a claim of another client")
    func foreignEnclosure() {
        var scene = Scene(FakeTree("a.txt"))
        let holder = scene.write("a.txt", client: 1)
        let other = scene.write("a.txt", client: 2, inside: .claim(holder))
        #expect(scene.isWaiting(other))
    }

    @Test("A client cannot exclude another client's presenter from questions")
    func foreignPresenter() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt", client: 2)
        let request = ClaimRequest(
            client: ClientID(1), purpose: .coordinator(ClientID(1), 0),
            accesses: [Access(scene.tree.key("a.txt"), .writing(nil))], presenter: presenter)
        scene.send(.requested(ClaimID(1), request))
        #expect(scene.asked(presenter).count == 1)
    }

    @Test("The state of claims, presenters and waiters can be seen as a tree at any time")
    func snapshot() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let presenter = scene.present("f/a.txt")
        let holder = scene.write("f/a.txt", presenter: presenter)
        scene.pass(.seconds(3))
        let waiter = scene.read("f/a.txt", client: 2)
        let snapshot = scene.table.snapshot(at: .seconds(5))
        let item = try #require(snapshot.items.last)
        #expect(snapshot.items.map(\.depth) == [0, 1, 2])
        #expect(item.key == scene.tree.key("f/a.txt") && item.presenters.map(\.id) == [presenter])
        #expect(item.claims.map(\.id) == [holder, waiter] && item.claims.map(\.stage) == [.granted, .waiting])
        #expect(item.claims.map(\.age) == [.seconds(5), .seconds(2)] && item.claims[1].waitsForClaims == [holder])
    }
}
