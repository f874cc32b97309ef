import CloudModel
import Testing

@testable import Simulation

@Suite("Copies in the simulation's ledger")
struct CopyLedgerTests {
    private let first = ItemID(high: 1, low: 1)
    private let second = ItemID(high: 1, low: 2)

    /// Returns a ledger with the same content in two documents.
    private func copied() -> Ledger {
        var ledger = Ledger()
        ledger.write("text")
        ledger.copy("text", from: first, to: second)
        return ledger
    }

    private func place(_ item: ItemID, _ standing: @escaping (ItemID) -> ItemID = { $0 }) -> Ledger.Place {
        Ledger.Place(item: item, row: item, standing: standing)
    }

    private func problems(_ ledger: Ledger, visible: Set<String>, _ standing: (ItemID) -> ItemID = { $0 }) -> [String] {
        ledger.problems(visible: visible, standing: standing)
    }

    @Test("a copy outlives its original: while one of the two was not replaced, the content must exist")
    func oneLeft() {
        var ledger = copied()
        ledger.supersede("text", at: place(first))
        #expect(problems(ledger, visible: ["text"]).isEmpty)
        #expect(problems(ledger, visible: []) == ["‘text’ is lost"])
    }

    @Test("when each copy was replaced, the content must not come back")
    func noneLeft() {
        var ledger = copied()
        ledger.supersede("text", at: place(first))
        ledger.supersede("text", at: place(second))
        #expect(problems(ledger, visible: []).isEmpty)
        #expect(problems(ledger, visible: ["text"]) == ["‘text’ came back"])
    }

    @Test("a device that knows the two as one replaces both; once they are merged either outcome is allowed")
    func united() {
        let one = { [first] (_: ItemID) in first }
        var knowing = copied()
        knowing.supersede("text", at: place(first, one))
        #expect(problems(knowing, visible: ["text"]) == ["‘text’ came back"])
        var unknowing = copied()
        unknowing.supersede("text", at: place(first))
        #expect(problems(unknowing, visible: [], one).isEmpty)
        #expect(problems(unknowing, visible: ["text"], one).isEmpty)
    }

    @Test("a copy that ended elsewhere may stay where another device, which had not seen its end, moved it")
    func movedAfterItsEnd() {
        var ledger = copied()
        let third = ItemID(high: 1, low: 3)
        ledger.supersede("text", at: place(second))
        ledger.rename("text", from: second, to: third)
        ledger.supersede("text", at: place(first))
        #expect(problems(ledger, visible: ["text"]).isEmpty)
        #expect(problems(ledger, visible: []).isEmpty)
    }

    @Test("a copy keeps its identity in the ledger when a rename gives it another id")
    func renamed() {
        var ledger = copied()
        let third = ItemID(high: 1, low: 3)
        ledger.rename("text", from: second, to: third)
        ledger.supersede("text", at: place(third))
        #expect(problems(ledger, visible: []) == ["‘text’ is lost"])
        ledger.supersede("text", at: place(first))
        #expect(problems(ledger, visible: []).isEmpty)
    }

    @Test(
        "of two copies in one document, on devices that do not know of each other's, one may outlive the other, but neither is lost unless its user ended it"
    )
    func sameDocument() {
        var ledger = copied()
        ledger.rename("text", from: second, to: first)
        #expect(problems(ledger, visible: []) == ["‘text’ is lost"])
        ledger.supersede("text", at: place(first))
        #expect(problems(ledger, visible: ["text"]).isEmpty)
        #expect(problems(ledger, visible: []).isEmpty)
    }

    @Test("a copy that took the place of an ended one must not come back once it ended as well")
    func successor() {
        var ledger = copied()
        ledger.leave("text", at: place(first))
        ledger.rename("text", from: second, to: first)
        ledger.supersede("text", at: place(first))
        #expect(problems(ledger, visible: []).isEmpty)
        #expect(problems(ledger, visible: ["text"]) == ["‘text’ came back"])
    }
}
