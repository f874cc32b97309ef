import CloudModel
import Testing

@testable import Coordination

/// What goes wrong in the original; the decisions of ours, one test each.
@Suite("Troubles of coordination")
struct TroubleTests {
    @Test("100,000 presenters of other items are not looked at")
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
        "An unanswered question ends after its bound and is reported; the presenter is not waited for again until it answers"
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

    @Test("A folder deeper than any stack is claimed and shown like another")
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

    @Test("What a dead client changed under its claim is told to the others")
    func deadWriter() {
        var scene = Scene(FakeTree("a.txt"))
        let claim = scene.write("a.txt", client: 1)
        let presenter = scene.present("a.txt")
        scene.change("a.txt", by: claim)
        scene.send(.clientDied(ClientID(1)))
        #expect(scene.told(presenter) == [.changed])
    }

    @Test("A frozen client counts as one that does not answer, and others pass its requests")
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

    @Test("A client frozen inside an accessor keeps its claim for a while, then loses it and that is reported")
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

    @Test("A client that moves again in time keeps its claim")
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

    // MARK: Deadlocks

    @Test("Two presenters that each read inside didChange both get to read")
    func readersInsideDidChange() {
        var scene = Scene(FakeTree("a.txt"))
        let presenters = [scene.present("a.txt", client: 1), scene.present("a.txt", client: 2)]
        let first = scene.read("a.txt", client: 1, presenter: presenters[0], inside: .presenter(presenters[0]))
        #expect(scene.isWaiting(first) && scene.asked(presenters[1]).count == 1)
        let second = scene.read("a.txt", client: 2, presenter: presenters[1], inside: .presenter(presenters[1]))
        #expect(scene.isGranted(second) && scene.reports == [.presenterPassedOver(presenters[0], second)])
        scene.finish(second)
        scene.answer(presenters[1])
        #expect(scene.isGranted(first))
    }

    @Test("Of two presenters that each write inside didChange, the one that closes the cycle gets an error at once")
    func writersInsideDidChange() {
        var scene = Scene(FakeTree("a.txt"))
        let presenters = [scene.present("a.txt", client: 1), scene.present("a.txt", client: 2)]
        let first = scene.write("a.txt", client: 1, presenter: presenters[0], inside: .presenter(presenters[0]))
        let second = scene.write("a.txt", client: 2, presenter: presenters[1], inside: .presenter(presenters[1]))
        #expect(scene.error(second) == .deadlock && scene.isWaiting(first))
        scene.answer(presenters[1])
        #expect(scene.isGranted(first))
    }

    @Test("Two that hold one item each and want the other's: the request that closes the cycle gets an error at once")
    func crossed() {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        let a = scene.write("a.txt", client: 1)
        let b = scene.write("b.txt", client: 2)
        let wantsB = scene.write("b.txt", client: 1, inside: .claim(a))
        let wantsA = scene.write("a.txt", client: 2, inside: .claim(b))
        #expect(scene.error(wantsA) == .deadlock && scene.isWaiting(wantsB))
        scene.finish(b)
        #expect(scene.isGranted(wantsB))
    }

    @Test("A claim that would wait for the very claim it is asked in gets an error at once")
    func insideItself() {
        var scene = Scene(FakeTree("a.txt"))
        let outer = scene.write("a.txt")
        let inner = scene.read("a.txt", inside: .claim(outer))
        #expect(scene.error(inner) == .deadlock)
    }

    @Test("A nested claim passes a request that waits for the claim around it")
    func nestedPasses() {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        let a = scene.write("a.txt", client: 1)
        let both = scene.request(
            [Access(scene.tree.key("a.txt"), .writing(nil)), Access(scene.tree.key("b.txt"), .writing(nil))], client: 2)
        let b = scene.write("b.txt", client: 1, inside: .claim(a))
        #expect(scene.isGranted(b) && scene.isWaiting(both))
        scene.finish(b)
        scene.finish(a)
        #expect(scene.isGranted(both))
    }

    @Test("A client can not claim to be inside what belongs to another")
    func foreignEnclosure() {
        var scene = Scene(FakeTree("a.txt"))
        let holder = scene.write("a.txt", client: 1)
        let other = scene.write("a.txt", client: 2, inside: .claim(holder))
        #expect(scene.isWaiting(other))
    }

    @Test("A client can not keep another's presenter from being asked")
    func foreignPresenter() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt", client: 2)
        let request = ClaimRequest(
            client: ClientID(1), purpose: .coordinator(ClientID(1), 0),
            accesses: [Access(scene.tree.key("a.txt"), .writing(nil))], presenter: presenter)
        scene.send(.requested(ClaimID(1), request))
        #expect(scene.asked(presenter).count == 1)
    }

    // MARK: Items that move and go

    @Test("The accessor gets the item itself, wherever it went while waiting")
    func follows() throws {
        var scene = Scene(FakeTree("a.txt", "f"))
        let item = try #require(scene.tree.find("a.txt"))
        let holder = scene.write("a.txt", .moving)
        let waiter = scene.write("a.txt", client: 2)
        scene.move("a.txt", to: "f/b.txt", by: holder)
        scene.finish(holder)
        #expect(scene.keys(waiter) == [.item(item)])
    }

    @Test("Replacing does not follow a move: it means what is at the place now")
    func replacingStays() {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        let holder = scene.write("a.txt", .moving)
        let replacing = scene.write("a.txt", .replacing, client: 2)
        scene.move("a.txt", to: "c.txt", by: holder)
        scene.finish(holder)
        #expect(scene.keys(replacing) == [.vacant(scene.tree.place("a.txt"))])
        let later = scene.write("a.txt", client: 3)
        #expect(scene.isWaiting(later))
    }

    @Test("An item that went away while waiting is an error before the accessor runs, unless it was asked to create")
    func gone() {
        var scene = Scene(FakeTree("a.txt"))
        let holder = scene.write("a.txt", .deleting)
        let reader = scene.read("a.txt", client: 2)
        let writer = scene.write("a.txt", client: 3)
        let creator = scene.write("a.txt", client: 4, mayCreate: true)
        scene.delete("a.txt", by: holder)
        scene.finish(holder)
        #expect(scene.error(reader) == .itemGone && scene.error(writer) == .itemGone)
        #expect(scene.keys(creator) == [.vacant(scene.tree.place("a.txt"))])
    }

    @Test("A folder that is deleted ends the requests for what was in it")
    func goneWithFolder() {
        var scene = Scene(FakeTree("f/a.txt"))
        scene.write("f/a.txt")
        let waiter = scene.read("f/a.txt", client: 2)
        scene.delete("f")
        #expect(scene.error(waiter) == .itemGone)
    }

    @Test("Two that create the same document take turns, and the second finds what the first has made")
    func create() {
        var scene = Scene(FakeTree())
        let first = scene.write("new.txt", client: 1)
        let second = scene.write("new.txt", client: 2)
        #expect(scene.isGranted(first) && scene.isWaiting(second))
        scene.make("new.txt", by: first)
        scene.finish(first)
        #expect(scene.keys(second) == [scene.tree.key("new.txt")])
    }

    @Test("A move into a package joins what it holds with the package")
    func intoPackage() {
        var scene = Scene(FakeTree("a.txt", "d.pkg"))
        let holder = scene.write("a.txt")
        scene.move("a.txt", to: "d.pkg/a.txt", by: holder)
        let reader = scene.read("d.pkg", client: 2)
        #expect(scene.isWaiting(reader))
        scene.finish(holder)
        #expect(scene.isGranted(reader))
    }

    @Test(
        "A move is told once: to the item, what is below it and the folders it left and entered, by whichever program")
    func moveNotices() throws {
        var scene = Scene(FakeTree("f/d/a.txt", "g"))
        let folder = try #require(scene.tree.find("f/d"))
        let presenters = ["f/d", "f/d/a.txt", "f", "g", ""].map { scene.present($0) }
        let moved = PresenterNotice.subitemMoved(folder, from: scene.tree.place("f/d"))
        scene.move("f/d", to: "g/d")
        let told = presenters.map(scene.told)
        #expect(
            told == [[.moved], [.moved], [moved], [.subitemAppeared(folder)], [moved]])
    }

    @Test("A case-only rename is one move of the same item, under a claim or without")
    func caseOnly() throws {
        var scene = Scene(FakeTree("note.txt"))
        let item = try #require(scene.tree.find("note.txt"))
        let presenter = scene.present("note.txt")
        scene.move("note.txt", to: "Note.txt")
        #expect(scene.told(presenter) == [.moved])
        let claim = scene.request([
            Access(.item(item), .writing(.moving)),
            Access(scene.tree.key("NOTE.txt"), .writing(.replacing), place: scene.tree.place("NOTE.txt")),
        ])
        scene.answer(presenter)
        #expect(scene.isGranted(claim))
        scene.move("Note.txt", to: "NOTE.txt", by: claim)
        scene.finish(claim)
        #expect(scene.told(presenter) == [.moved, .moved])
    }

    @Test("Plain unlink and rmdir reach presenters as notices; those that agreed before hear nothing more")
    func deletionNotices() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let item = try #require(scene.tree.find("f/a.txt"))
        let file = scene.present("f/a.txt")
        let folder = scene.present("f")
        let place = scene.tree.place("f/a.txt")
        scene.delete("f/a.txt")
        #expect(scene.told(file) == [.deleted] && scene.told(folder) == [.subitemDeleted(item, from: place)])
        scene.make("f/a.txt")
        let claim = scene.write("f/a.txt", .deleting)
        scene.answer(file)
        #expect(scene.isGranted(claim))
        scene.delete("f/a.txt", by: claim)
        scene.finish(claim)
        #expect(scene.told(file) == [.deleted])
    }

    @Test(
        "A document saved by renaming a file over it is the same document: one change, and its claims and presenters stay"
    )
    func replaced() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let file = scene.present("f/a.txt")
        let folder = scene.present("f")
        let holder = scene.write("f/a.txt", client: 9, presenter: file)
        let reader = scene.read("f/a.txt", .withoutChanges, client: 2)
        scene.replace("f/a.txt")
        let item = try #require(scene.tree.find("f/a.txt"))
        #expect(scene.told(file) == [.changed] && scene.told(folder) == [.subitemChanged(item)])
        #expect(scene.isWaiting(reader))
        scene.finish(holder)
        scene.answer(file)
        #expect(scene.isGranted(reader) && scene.keys(reader) == [.item(item)])
    }

    @Test("A document that an editor sets aside as a backup is the file that it makes in its place")
    func setAside() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let file = scene.present("f/a.txt")
        scene.setAside("f/a.txt", as: "f/a.txt~")
        scene.make("f/a.txt")
        scene.delete("f/a.txt~")
        #expect(scene.told(file) == [])
        scene.change("f/a.txt")
        #expect(scene.told(file) == [.changed])
    }

    @Test(
        "A change is the doing of whoever writes there: at the item, in a package, below what is deleted; not in a plain folder"
    )
    func writer() throws {
        var scene = Scene(FakeTree("f/a.txt", "d.pkg/b.txt", "g/c.txt"))
        let presenter = scene.present("g")
        let claims = [scene.write("f/a.txt"), scene.write("d.pkg"), scene.write("g", .deleting), scene.write("f")]
        scene.answer(presenter)
        let writers = try ["f/a.txt", "d.pkg/b.txt", "g/c.txt", "f/new"].map { path in
            try #require(scene.tree.place(path).folder != ItemNumber(-1))
            return scene.table.writer(of: scene.tree.key(path), in: scene.tree.place(path).folder, in: scene.tree)
        }
        #expect(writers == [claims[0], claims[1], claims[2], nil])
    }

    @Test("A presenter of a document that does not exist yet is a presenter of it once it does")
    func presentedBefore() {
        var scene = Scene(FakeTree())
        let presenter = scene.present("new.txt")
        scene.make("new.txt")
        scene.read("new.txt")
        #expect(scene.asked(presenter).count == 1)
    }

    @Test("Every folder above hears of a new item, once, in order")
    func appear() {
        var scene = Scene(FakeTree("f/g"))
        let presenters = ["f/g", "f"].map { scene.present($0) }
        scene.make("f/g/a.txt")
        scene.make("f/g/b.txt")
        let items = ["f/g/a.txt", "f/g/b.txt"].compactMap(scene.tree.find)
        #expect(presenters.map(scene.told) == Array(repeating: items.map(PresenterNotice.subitemAppeared), count: 2))
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
