import CloudModel
import Testing

@testable import Coordination

/// A request that would close a cycle of waits fails immediately.
@Suite("Deadlocks")
struct DeadlockTests {
    @Test("Two presenters that each read inside didChange can both read")
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

    @Test(
        "Of two clients that hold one item each and request the other's, the one that closes the cycle gets an error at once"
    )
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

    @Test("A claim that would wait for the claim inside which it is requested gets an error at once")
    func insideItself() {
        var scene = Scene(FakeTree("a.txt"))
        let outer = scene.write("a.txt")
        let inner = scene.read("a.txt", inside: .claim(outer))
        #expect(scene.error(inner) == .deadlock)
    }

    @Test("A nested claim overtakes a request that waits for the claim around it")
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
}
