import Basics
import DaemonProtocol
import Testing

@testable import Commands

@Suite("The progress of a copy of a cloud")
struct CloudCopyTextTests {
    @Test("the time left follows the rate of the last half minute, and is nil as long as there is no rate")
    func timeLeft() throws {
        let start = ContinuousClock.now
        var estimate = TimeLeft()
        #expect(estimate.note(0, at: start) == nil)
        #expect(estimate.note(0.1, at: start + .seconds(1)) == nil)
        #expect(estimate.note(0.2, at: start + .seconds(2)) == .seconds(8))
        // The rest runs at a tenth of that rate.
        var left: Duration?
        for second in 3...60 {
            left = estimate.note(0.2 + Double(second - 2) * 0.01, at: start + .seconds(second))
        }
        #expect(abs(try #require(left) / .seconds(1) - 22) < 0.1)
        var stuck = TimeLeft()
        _ = stuck.note(0.5, at: start)
        #expect(stuck.note(0.5, at: start + .seconds(20)) == nil)
    }

    @Test(
        "the time left is said in one unit or two",
        arguments: [
            (0, "about 1 s left"), (59, "about 59 s left"), (61, "about 2 min left"), (3_660, "about 1 h 1 min left"),
        ])
    func text(seconds: Int, text: String) { #expect(TimeLeft.text(.seconds(seconds)) == text) }

    @Test("a copy shows percent, amounts and the time left")
    func line() {
        var state = CloudCopyState(
            container: "CloudDocs", entries: 1, containers: 0, copiedEntries: 1, chunks: 1, bytes: 1,
            incompleteContents: 0)
        #expect(ShownCopy.line(state, nil) == "Counting what is to be copied …")
        (state.totalEntries, state.doneEntries) = (10, 5)
        (state.totalBytes, state.doneBytes) = (4 << 20, 2 << 20)
        let line = ShownCopy.line(state, .seconds(90))
        #expect(
            line == "Copying: 50 % (\(ByteCount(2 << 20)) of \(ByteCount(4 << 20)), 5 of 10 entries), about 2 min left")
    }
}
