import Basics
import CloudModel
import LocalContent
import Testing

@testable import VirtualFileSystem

/// The machine that decides what is recorded of an open file, compared with a twin that knows no records.
@Suite("Writing sessions", .timeLimit(.minutes(10)))
struct WriteSessionTests {
    @Test("after each sequence of events the row, the claims and the pending edits are those of the naive twin")
    func everySequence() {
        var sequences = 0
        func extend(_ run: WriteSessionRun, _ twin: WriteSessionTwin, _ history: [WriteEvent]) {
            for event in WriteEvent.allCases where run.allows(event) {
                var (next, expected) = (run, twin)
                next.happens(event)
                expected.happens(event)
                sequences += 1
                guard next.shown == expected.shown else {
                    Issue.record("\(history + [event]): \(next.shown), expected \(expected.shown)")
                    continue
                }
                if history.count < 7 {
                    extend(next, expected, history + [event])
                } else {
                    finish(next, history + [event])
                }
            }
        }
        extend(WriteSessionRun(), WriteSessionTwin(), [])
        #expect(sequences > 50_000)
    }

    /// Nothing written is ever forgotten, and every claim is released.
    private func finish(_ run: WriteSessionRun, _ history: [WriteEvent]) {
        var run = run
        for event in [.fails, .close, .close, .retry, .begins, .commits, .settle] as [WriteEvent]
        where run.allows(event) {
            run.happens(event)
        }
        let shown = run.shown
        guard shown.claims == 0, !shown.isLate, let row = shown.row else {
            if shown.claims > 0 || shown.isLate { Issue.record("\(history): \(shown)") }
            return
        }
        if row.size != run.written || row.mode != run.mode || row.isWriting {
            Issue.record("\(history): \(row) of \(run.written) bytes")
        }
    }

    @Test("the base of an emptied document goes into the record of that edit, and into no later one")
    func base() {
        var session = WriteSession()
        let seen = SeenContent(item: ItemID(high: 1, low: 1), content: nil)
        session.opensUnread(seen)
        let isFirst = session.writerOpens()
        #expect(isFirst)
        session.baseline = .test(size: 4)
        session.empties()
        #expect(session.record(.test(size: 4), endsWriting: false).overwriting == nil)
        let record = session.record(.test(size: 2), endsWriting: false)
        #expect(record.overwriting == seen)
        session.recorded(record)
        #expect(session.record(.test(size: 3), endsWriting: true).overwriting == nil)
        session.empties()
        #expect(session.overwriting == nil)
    }

    @Test("a file whose name is gone has nothing to record, and needs no retry")
    func removed() {
        var session = WriteSession()
        _ = session.writerOpens()
        session.baseline = .test(size: 4)
        session.keeps(UnrecordedAttributes(changed: .zero), nil)
        session.unlinked()
        #expect(!session.record(.test(size: 5), endsWriting: false).isEdit)
        session.writerCloses()
        #expect(session.phase == .idle)
    }
}
