import CloudModel
import Testing

@testable import Simulation

@Suite("Interrupted operations in the simulation's ledger")
struct InterruptedLedgerTests {
    private let document = ItemID(high: 1, low: 1)
    private let version = ItemID(high: 1, low: 2)

    /// Returns a ledger before and after the deletion or replacement of the document's visible content.
    private func ledgers() -> (before: Ledger, supposed: Ledger) {
        var before = Ledger()
        before.write("old")
        var supposed = before
        supposed.supersede("old", at: Ledger.Place(item: document, row: document) { $0 })
        return (before, supposed)
    }

    /// Returns the problems if the device shows `rows` after the interruption, and `visible` is everything that exists
    /// at the end.
    private func problems(_ rows: [ItemID: String], visible: Set<String>, forgets: Bool = false) -> [String] {
        var (ledger, supposed) = ledgers()
        let found = ledger.suppose(
            supposed, visible: Set(rows.values), rows: rows, isAtomic: false, forgets: forgets)
        return found + ledger.problems(visible: visible) { $0 }
    }

    @Test("a content that is still where it was has to stay", arguments: [false, true])
    func notDone(forgets: Bool) {
        #expect(problems([document: "old"], visible: [], forgets: forgets) == ["‘old’ is lost"])
        #expect(problems([document: "old"], visible: ["old"], forgets: forgets).isEmpty)
    }

    @Test(
        "a content that was replaced in its document may go, although a conflict version of the same bytes is still shown",
        arguments: [false, true])
    func replacedBesideEqualVersion(forgets: Bool) {
        #expect(problems([document: "", version: "old"], visible: [], forgets: forgets).isEmpty)
    }

    @Test("a content that was replaced must not come back, unless a power cut may have undone it")
    func done() {
        for rows in [[document: ""], [document: "", version: "old"]] {
            #expect(problems(rows, visible: ["old"]) == ["‘old’ came back"])
            #expect(problems(rows, visible: ["old"], forgets: true).isEmpty)
        }
    }

    @Test("a conflict version that is still shown has to stay, although its document shows another content")
    func versionNotDeleted() {
        var before = Ledger()
        before.write("old")
        var supposed = before
        supposed.supersede("old", at: Ledger.Place(item: document, row: version) { $0 })
        let rows = [document: "new", version: "old"]
        #expect(before.suppose(supposed, visible: ["new", "old"], rows: rows, isAtomic: false).isEmpty)
        #expect(before.problems(visible: []) { $0 } == ["‘old’ is lost"])
    }
}
