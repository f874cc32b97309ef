import CloudModel
import Testing

@testable import Coordination

/// Notices for presenters about changes by any program.
@Suite("Notices for presenters")
struct NoticeTests {
    @Test(
        "A move is reported once to the item, the items below it and the folders it left and entered, whichever program made it"
    )
    func moveNotices() throws {
        var scene = Scene(FakeTree("f/d/a.txt", "g"))
        let folder = try #require(scene.tree.find("f/d"))
        let presenters = ["f/d", "f/d/a.txt", "f", "g", ""].map { scene.present($0) }
        let moved = PresenterNotice.subitemMoved(folder, from: scene.tree.place("f/d"))
        scene.move("f/d", to: "g/d")
        let notices = presenters.map(scene.notices)
        #expect(
            notices == [[.moved], [.moved], [moved], [.subitemAppeared(folder)], [moved]])
    }

    @Test("Plain unlink and rmdir reach presenters as notices; those that agreed before are not notified again")
    func deletionNotices() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let file = scene.present("f/a.txt")
        let folder = scene.present("f")
        let place = scene.tree.place("f/a.txt")
        scene.delete("f/a.txt")
        #expect(scene.notices(file) == [.deleted] && scene.notices(folder) == [.subitemDeleted(from: place)])
        scene.make("f/a.txt")
        let claim = scene.write("f/a.txt", .deleting)
        scene.answer(file)
        #expect(scene.isGranted(claim))
        scene.delete("f/a.txt", by: claim)
        scene.finish(claim)
        #expect(scene.notices(file) == [.deleted])
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
        #expect(scene.notices(file) == [.changed] && scene.notices(folder) == [.subitemChanged(item)])
        #expect(scene.isWaiting(reader))
        scene.finish(holder)
        scene.answer(file)
        #expect(scene.isGranted(reader) && scene.keys(reader) == [.item(item)])
    }

    @Test("A document that an editor moves aside as a backup becomes the file that the editor creates in its place")
    func setAside() throws {
        var scene = Scene(FakeTree("f/a.txt"))
        let file = scene.present("f/a.txt")
        scene.setAside("f/a.txt", as: "f/a.txt~")
        scene.make("f/a.txt")
        scene.delete("f/a.txt~")
        #expect(scene.notices(file) == [])
        scene.change("f/a.txt")
        #expect(scene.notices(file) == [.changed])
    }

    @Test("A presenter of a document that does not exist yet presents it once it is created")
    func presentedBefore() {
        var scene = Scene(FakeTree())
        let presenter = scene.present("new.txt")
        scene.make("new.txt")
        scene.read("new.txt")
        #expect(scene.asked(presenter).count == 1)
    }

    @Test("Presenters of every folder above are notified of a new item, once, in order")
    func appear() {
        var scene = Scene(FakeTree("f/g"))
        let presenters = ["f/g", "f"].map { scene.present($0) }
        scene.make("f/g/a.txt")
        scene.make("f/g/b.txt")
        let items = ["f/g/a.txt", "f/g/b.txt"].compactMap(scene.tree.find)
        #expect(presenters.map(scene.notices) == Array(repeating: items.map(PresenterNotice.subitemAppeared), count: 2))
    }
}
