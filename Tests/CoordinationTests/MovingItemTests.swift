import CloudModel
import Testing

@testable import Coordination

/// Claims on moved, removed or created items.
@Suite("Items that are moved or deleted")
struct MovingItemTests {
    @Test("The accessor gets the item itself, wherever it was moved during the wait")
    func follows() throws {
        var scene = Scene(FakeTree("a.txt", "f"))
        let item = try #require(scene.tree.find("a.txt"))
        let holder = scene.write("a.txt", .moving)
        let waiter = scene.write("a.txt", client: 2)
        scene.move("a.txt", to: "f/b.txt", by: holder)
        scene.finish(holder)
        #expect(scene.keys(waiter) == [.item(item)])
    }

    @Test("Replacing does not follow a move: it applies to the item that is now at the path")
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

    @Test("If the item is deleted during the wait, the request fails before the accessor runs, unless it may create")
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

    @Test("Deleting a folder ends the requests for its contents")
    func goneWithFolder() {
        var scene = Scene(FakeTree("f/a.txt"))
        scene.write("f/a.txt")
        let waiter = scene.read("f/a.txt", client: 2)
        scene.delete("f")
        #expect(scene.error(waiter) == .itemGone)
    }

    @Test(
        "Two claims that create the same document take turns, and the second finds the document that the first created")
    func create() {
        var scene = Scene(FakeTree())
        let first = scene.write("new.txt", client: 1)
        let second = scene.write("new.txt", client: 2)
        #expect(scene.isGranted(first) && scene.isWaiting(second))
        scene.make("new.txt", by: first)
        scene.finish(first)
        #expect(scene.keys(second) == [scene.tree.key("new.txt")])
    }

    @Test(
        "When a document is renamed over another, its presenters are notified of the move, and the other's of a change"
    )
    func renamedOver() throws {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        let (a, b) = (try #require(scene.tree.find("a.txt")), try #require(scene.tree.find("b.txt")))
        let (mover, other) = (scene.present("a.txt"), scene.present("b.txt"))
        let place = scene.tree.place("b.txt")
        scene.tree.remove(b)
        scene.tree.move(a, to: place)
        scene.send(.replaced(b, with: a, by: nil))
        #expect(scene.notices(mover) == [.moved] && scene.notices(other) == [.changed])
    }

    @Test("A move into a package adds the item's claims to the package's")
    func intoPackage() {
        var scene = Scene(FakeTree("a.txt", "d.pkg"))
        let holder = scene.write("a.txt")
        scene.move("a.txt", to: "d.pkg/a.txt", by: holder)
        let reader = scene.read("d.pkg", client: 2)
        #expect(scene.isWaiting(reader))
        scene.finish(holder)
        #expect(scene.isGranted(reader))
    }

    @Test("A rename that changes only case is one move of the same item, under a claim or without")
    func caseOnly() throws {
        var scene = Scene(FakeTree("note.txt"))
        let item = try #require(scene.tree.find("note.txt"))
        let presenter = scene.present("note.txt")
        scene.move("note.txt", to: "Note.txt")
        #expect(scene.notices(presenter) == [.moved])
        let claim = scene.request([
            Access(.item(item), .writing(.moving)),
            Access(scene.tree.key("NOTE.txt"), .writing(.replacing), place: scene.tree.place("NOTE.txt")),
        ])
        scene.answer(presenter)
        #expect(scene.isGranted(claim))
        scene.move("Note.txt", to: "NOTE.txt", by: claim)
        scene.finish(claim)
        #expect(scene.notices(presenter) == [.moved, .moved])
    }

    @Test(
        "A change is attributed to the claim that writes there: at the item, in a package or below a deletion, but not in a plain folder"
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
}
