import Synchronization
import Testing

@testable import Coordination

/// The number of tree nodes visited by the table. Its nodes are items with a claim or a presenter, and their ancestors.
@Suite("Cost of a claim")
struct WorkTests {
    private final class Count: Sendable {
        private let value = Atomic(0)
        func add() { value.add(1, ordering: .relaxed) }
        func take() -> Int { value.exchange(0, ordering: .relaxed) }
    }

    /// Returns the number of nodes visited from a claim's request to its end, in a folder with others' presenters.
    private func work(_ scene: inout Scene, _ claim: (inout Scene) -> ClaimID) -> Int {
        let count = Count()
        scene.table.live.onVisit = { count.add() }
        let id = claim(&scene)
        #expect(scene.isGranted(id))
        scene.finish(id)
        scene.table.live.onVisit = nil
        return count.take()
    }

    private func scene(presenters: Int, claims: Int) -> Scene {
        var tree = FakeTree("f/mine.txt", "f/inner/mine.txt", "g/other.txt", "h.txt")
        for number in 0..<presenters { tree.make("g/\(number).txt") }
        var scene = Scene(tree)
        // Every place has a presenter, so that no node has to be created or removed.
        for path in ["f/mine.txt", "f/inner/mine.txt", "g/other.txt"] { _ = scene.present(path, []) }
        for number in 0..<presenters { _ = scene.present("g/\(number).txt", client: UInt64(10 + number % 8)) }
        for number in 0..<claims { scene.read("g/\(number).txt", [.withoutChanges], client: 30) }
        // Many presenters share an item, and many are in the claimed item's folder.
        for _ in 0..<presenters { _ = scene.present("h.txt", client: 9) }
        return scene
    }

    @Test(
        "a claim examines as many entries with 10 as with 20,000 other presenters, and with 0 as with 1,000 other claims"
    )
    func elsewhere() {
        var few = scene(presenters: 10, claims: 0)
        var many = scene(presenters: 20_000, claims: 1_000)
        let kinds: [(String, (inout Scene) -> ClaimID)] = [
            ("read", { $0.read("f/mine.txt") }), ("write", { $0.write("f/mine.txt") }),
            ("deep", { $0.read("f/inner/mine.txt") }), ("deleting a folder", { $0.write("f", .deleting) }),
            ("moving a folder", { $0.write("f/inner", .moving) }),
        ]
        for (name, claim) in kinds {
            let (little, much) = (work(&few, claim), work(&many, claim))
            #expect(little == much && little > 0 && little < 50, "\(name): \(little) and \(much)")
        }
    }

    @Test("a claim examines none of the many presenters of one folder")
    func siblings() {
        var scene = scene(presenters: 20_000, claims: 1_000)
        let nodes = work(&scene) { $0.write("g/other.txt") }
        #expect(nodes > 0 && nodes < 50, "\(nodes)")
    }

    @Test("a busy client is recognized without examining each of its presenters")
    func busy() throws {
        var scene = Scene(FakeTree("a.txt", "b.txt"))
        let presenter = scene.present("a.txt", client: 7)
        _ = scene.present("b.txt", client: 8)
        #expect(!scene.table.isBusy(ClientID(7)))
        let claim = scene.write("a.txt", client: 1)
        #expect(scene.table.isBusy(ClientID(7)) && !scene.table.isBusy(ClientID(8)))
        scene.answer(presenter)
        #expect(!scene.table.isBusy(ClientID(7)) && scene.table.isBusy(ClientID(1)))
        scene.finish(claim)
        #expect(!scene.table.isBusy(ClientID(1)))
    }
}
