import CloudModel
import Coordination
import Testing

/// The rules of `NSFileCoordinator`, one test each.
@Suite("Coordinator rules")
struct CoordinatorRuleTests {
    @Test("Readers do not wait for readers")
    func readersTogether() {
        var scene = Scene(FakeTree("a.txt"))
        let claims = [scene.read("a.txt"), scene.read("a.txt", client: 2)]
        #expect(claims.allSatisfy(scene.isGranted))
    }

    @Test("A reader waits for a writer, a writer for readers and for writers")
    func writersAlone() {
        var scene = Scene(FakeTree("a.txt"))
        let first = scene.write("a.txt")
        let reader = scene.read("a.txt", client: 2)
        let second = scene.write("a.txt", client: 3)
        #expect(scene.isGranted(first) && scene.isWaiting(reader) && scene.isWaiting(second))
        scene.finish(first)
        #expect(scene.isGranted(reader) && scene.isWaiting(second))
        scene.finish(reader)
        #expect(scene.isGranted(second))
    }

    @Test("Different items do not wait for each other")
    func apart() {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        let claims = [scene.write("a.txt"), scene.write("b.txt", client: 2)]
        #expect(claims.allSatisfy(scene.isGranted))
    }

    @Test("A writer does not starve: later readers wait behind it, and then run together")
    func fair() {
        var scene = Scene(FakeTree("a.txt"))
        let early = scene.read("a.txt")
        let writer = scene.write("a.txt", client: 2)
        let late = [scene.read("a.txt", client: 3), scene.read("a.txt", client: 4)]
        #expect(scene.isWaiting(writer) && late.allSatisfy(scene.isWaiting))
        scene.finish(early)
        #expect(scene.isGranted(writer) && late.allSatisfy(scene.isWaiting))
        scene.finish(writer)
        #expect(late.allSatisfy(scene.isGranted))
    }

    @Test("An item inside a package counts as the whole package", arguments: ["d.pkg", "d.pkg/inner.pkg"])
    func package(at path: String) {
        var scene = Scene(FakeTree("\(path)/a.txt", "d.pkg/b.txt"))
        let writer = scene.write("\(path)/a.txt")
        let reader = scene.read("d.pkg/b.txt", client: 2)
        #expect(scene.isGranted(writer) && scene.isWaiting(reader))
        scene.finish(writer)
        #expect(scene.keys(reader) == [scene.tree.key("d.pkg/b.txt")])
    }

    @Test("A claim on a folder does not cover its contents")
    func folder() {
        var scene = Scene(FakeTree("f/a.txt"))
        let claims = [scene.write("f"), scene.write("f/a.txt", client: 2), scene.write("f", .merging, client: 1)]
        #expect(scene.isGranted(claims[0]) && scene.isGranted(claims[1]) && scene.isWaiting(claims[2]))
    }

    @Test(
        "Deleting, moving or replacing a folder waits for claims below it and holds back later ones",
        arguments: [WritingOption.deleting, .moving, .replacing])
    func below(option: WritingOption) {
        var scene = Scene(FakeTree("f/g/a.txt", "f/b.txt"))
        let early = scene.read("f/g/a.txt")
        let folder = scene.write("f", option, client: 2)
        let late = scene.read("f/b.txt", client: 3)
        #expect(scene.isGranted(early) && scene.isWaiting(folder) && scene.isWaiting(late))
        scene.finish(early)
        #expect(scene.isGranted(folder) && scene.isWaiting(late))
        scene.finish(folder)
        #expect(scene.isGranted(late))
    }

    @Test(
        "Merging, metadata and plain writes of a folder do not wait for claims below it",
        arguments: [nil, WritingOption.merging, .contentIndependentMetadataOnly])
    func notBelow(option: WritingOption?) {
        var scene = Scene(FakeTree("f/a.txt"))
        scene.write("f/a.txt")
        let folder = scene.write("f", option, client: 2)
        #expect(scene.isGranted(folder))
    }

    @Test("Claims of one coordinator never block each other")
    func sameCoordinator() {
        var scene = Scene(FakeTree("a.txt"))
        let purpose = scene.purpose(1)
        let outer = scene.write("a.txt", purpose: purpose)
        let inner = scene.read("a.txt", purpose: purpose, inside: .claim(outer))
        #expect(scene.isGranted(inner))
    }

    @Test("Claims with one purpose identifier never block each other, also across processes")
    func samePurpose() {
        var scene = Scene(FakeTree("a.txt"))
        scene.write("a.txt", client: 1, purpose: .named("org.example.sync"))
        let second = scene.write("a.txt", client: 2, purpose: .named("org.example.sync"))
        let other = scene.write("a.txt", client: 3, purpose: .named("org.example.other"))
        #expect(scene.isGranted(second) && scene.isWaiting(other))
    }

    @Test("A presenter gets no messages about accesses with its own purpose")
    func ownPurpose() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt", purpose: .named("p"))
        let claim = scene.write("a.txt", purpose: .named("p"))
        #expect(scene.isGranted(claim) && scene.asked(presenter).isEmpty)
    }

    @Test("The coordinator's own presenter is not asked")
    func ownPresenter() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt", client: 1)
        let claim = scene.write("a.txt", presenter: presenter)
        #expect(scene.isGranted(claim) && scene.asked(presenter).isEmpty)
    }

    @Test("A presenter saves its changes while the reader waits for it")
    func saveInsideWait() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let reader = scene.read("a.txt")
        let save = scene.write("a.txt", client: 9, presenter: presenter)
        #expect(scene.isWaiting(reader) && scene.isGranted(save))
        scene.answer(presenter)
        #expect(scene.isWaiting(reader), "the save is not over")
        scene.finish(save)
        #expect(scene.isGranted(reader))
    }

    @Test("A metadata-only read is granted at once, even during a write, and no claim waits for it")
    func immediate() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let writer = scene.write("a.txt", presenter: presenter)
        let reader = scene.read("a.txt", .immediatelyAvailableMetadataOnly, client: 2)
        #expect(scene.isGranted(reader) && scene.asked(presenter).isEmpty)
        scene.finish(writer)
        let next = scene.write("a.txt", client: 3, presenter: presenter)
        #expect(scene.isGranted(next))
    }

    @Test("With resolvesSymbolicLink the target is read, without it the link")
    func links() {
        var scene = Scene(FakeTree("a.txt"))
        scene.tree.make("l.ln", link: scene.tree.find("a.txt"))
        scene.write("a.txt")
        let link = scene.read("l.ln", client: 2)
        let target = scene.read("l.ln", .resolvesSymbolicLink, client: 2)
        #expect(scene.isGranted(link) && scene.isWaiting(target))
    }

    @Test("All items of a request are claimed at once; a waiting request holds nothing")
    func allOrNothing() {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        let a = scene.tree.key("a.txt")
        let b = scene.tree.key("b.txt")
        let first = scene.request([Access(a, .writing(nil)), Access(b, .writing(nil))], client: 1)
        let second = scene.request([Access(b, .writing(nil)), Access(a, .writing(nil))], client: 2)
        #expect(scene.isGranted(first) && scene.isWaiting(second))
        scene.finish(first)
        #expect(scene.keys(second) == [b, a])
    }

    @Test("A document is moved with moving and replacing in one request")
    func moveOnto() {
        var scene = Scene(FakeTree("a.txt", "f/b.txt"))
        let holder = scene.read("f/b.txt")
        let move = scene.request(
            [
                Access(scene.tree.key("a.txt"), .writing(.moving)),
                Access(scene.tree.key("f/b.txt"), .writing(.replacing), place: scene.tree.place("f/b.txt")),
            ], client: 2)
        #expect(scene.isWaiting(move))
        scene.finish(holder)
        #expect(scene.isGranted(move))
    }

    @Test("A cancelled request ends with an error, and no claim waits for it; its presenters reacquire")
    func cancel() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let first = scene.write("a.txt")
        let second = scene.read("a.txt", client: 2, presenter: presenter)
        scene.send(.cancelled(first))
        #expect(scene.error(first) == .cancelled && scene.isGranted(second))
        scene.answer(presenter)
        #expect(scene.reacquired(presenter) == 1 && !scene.isGranted(first))
    }

    @Test("Cancelling a granted request changes nothing")
    func cancelGranted() {
        var scene = Scene(FakeTree("a.txt"))
        let claim = scene.write("a.txt")
        scene.send(.cancelled(claim))
        let next = scene.write("a.txt", client: 2)
        #expect(scene.error(claim) == nil && scene.isWaiting(next))
    }

    @Test("A request that times out fails with an error that names what it waited for")
    func patience() throws {
        var scene = Scene(FakeTree("a.txt"))
        let holder = scene.write("a.txt")
        let waiter = scene.read("a.txt", client: 2, patience: .seconds(5))
        #expect(scene.table.nextWake == .seconds(5))
        scene.pass(.seconds(4))
        #expect(scene.isWaiting(waiter))
        scene.pass(.seconds(1))
        #expect(scene.error(waiter) == .timedOut)
        #expect(scene.log.contains { "\($0)".contains("\(holder)") && "\($0)".contains("did not begin in time") })
    }

    @Test("A presenter's error ends the wait, and the accessor does not run")
    func presenterError() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt")
        let claim = scene.read("a.txt")
        scene.answer(presenter, .failed("the disk is full"))
        #expect(scene.error(claim) == .presenterFailed && !scene.isGranted(claim))
    }

    @Test("A plain access overtakes requests that only wait themselves, and they then wait for it")
    func plainPasses() {
        var scene = Scene(FakeTree("a.txt"))
        let reader = scene.read("a.txt")
        let writer = scene.write("a.txt", client: 2)
        let plain = scene.read("a.txt", client: 3, purpose: .plain)
        #expect(scene.isGranted(plain))
        scene.finish(reader)
        #expect(scene.isWaiting(writer))
        scene.finish(plain)
        #expect(scene.isGranted(writer))
    }

    @Test("A plain program asks no presenter and does not wait for plain programs, but waits for a coordinated writer")
    func plain() {
        var scene = Scene(FakeTree("a.txt"))
        let presenter = scene.present("a.txt", client: 3)
        let plain = [scene.write("a.txt", purpose: .plain), scene.write("a.txt", client: 2, purpose: .plain)]
        #expect(plain.allSatisfy(scene.isGranted) && scene.asked(presenter).isEmpty)
        for claim in plain { scene.finish(claim) }
        scene.write("a.txt", client: 3, presenter: presenter)
        let late = scene.read("a.txt", client: 2, purpose: .plain)
        let own = scene.read("a.txt", client: 3, purpose: .plain)
        #expect(scene.isWaiting(late) && scene.isGranted(own), "a program's open inside its accessor does not wait")
    }
}
