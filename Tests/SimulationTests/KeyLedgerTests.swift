import Basics
import ContainerLog
import Testing

@testable import Simulation

@Suite("Keys in the simulation's ledger")
struct KeyLedgerTests {
    private func write(_ text: String?, _ time: Int64) -> KeyLedger.Write {
        KeyLedger.Write(value: text.map { Array($0.utf8) }, time: Timestamp(nanoseconds: time))
    }

    private func shown(_ write: KeyLedger.Write, setBackBy lag: Int64 = 0) -> KeyValueEntry {
        KeyValueEntry(value: write.value, time: Timestamp(nanoseconds: write.time.nanoseconds - lag))
    }

    @Test(
        "of two concurrent writes either may be shown, but neither a value that was seen and replaced nor one that was never written"
    )
    func rules() {
        var ledger = KeyLedger()
        let (first, left, right) = (write("1", 10), write("2", 20), write(nil, 15))
        ledger.write(first, to: "k", having: [])
        #expect(ledger.problems("k", shown: shown(first)).isEmpty)
        ledger.write(left, to: "k", having: [first])
        ledger.write(right, to: "k", having: [first])
        #expect(
            ledger.problems("k", shown: shown(left, setBackBy: 3)).isEmpty, "the log sets clocks that run ahead back")
        #expect(ledger.problems("k", shown: shown(right)).isEmpty)
        #expect(ledger.problems("k", shown: shown(first)).first?.contains("that had seen it") == true)
        #expect(ledger.problems("k", shown: shown(write("3", 20))).first?.contains("invented") == true)
        #expect(ledger.problems("k", shown: nil).first?.contains("no device knows") == true)
        #expect(ledger.problems("other", shown: nil).isEmpty)
    }
}
