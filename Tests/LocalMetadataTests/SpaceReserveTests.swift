import Testing

@testable import LocalMetadata

@Suite("The space that each kind of transaction may use on a full disk")
struct SpaceReserveTests {
    private static let reserve = SpaceReserve.logReserve

    @Test(
        "an ordinary transaction leaves all of the log's reserve, an uploading one half of it, a freeing one nothing")
    func log() {
        var ledger = SpaceReserve()
        ledger.noteLog(frames: 100)
        ledger.logAllocated = ledger.logUsed + Self.reserve
        #expect(!ledger.hasLog(for: .ordinary) && ledger.hasLog(for: .uploading) && ledger.hasLog(for: .freeing))
        ledger.logAllocated = ledger.logUsed + Self.reserve / 2
        #expect(!ledger.hasLog(for: .ordinary) && !ledger.hasLog(for: .uploading) && ledger.hasLog(for: .freeing))
        ledger.logAllocated = ledger.wantedLog
        #expect(ledger.hasLog(for: .ordinary))
    }

    @Test("a log that was restarted has all of its blocks free")
    func restart() {
        var ledger = SpaceReserve()
        ledger.logAllocated = 3 * Self.reserve
        ledger.noteLog(frames: 700)
        #expect(!ledger.hasLog(for: .ordinary))
        ledger.noteLog(frames: 0)
        #expect(ledger.logUsed == 0 && ledger.hasLog(for: .ordinary))
    }

    @Test("pages without blocks are never committed, and free pages are reserved like the space of the log")
    func pages() {
        var ledger = SpaceReserve()
        ledger.pagesAllocated = 1000
        let kept = SpaceReserve.pageReserve
        for (use, free) in [(SpaceUse.ordinary, kept), (.uploading, kept / 2), (.freeing, 0)] {
            #expect(ledger.admits(use, pages: 1000, free: free))
            #expect(free == 0 || !ledger.admits(use, pages: 1000, free: free - 1))
            #expect(!ledger.admits(use, pages: 1001, free: kept))
        }
    }

    @Test("a database with its full reserve does not grow; one that lacks some grows by a little more than that")
    func growth() {
        var ledger = SpaceReserve()
        #expect(ledger.growth(pages: 10, free: 0) == SpaceReserve.pageReserve + SpaceReserve.pageStep)
        ledger.pagesAllocated = 400
        #expect(ledger.growth(pages: 400, free: SpaceReserve.pageReserve) == 0)
        #expect(ledger.growth(pages: 401, free: SpaceReserve.pageReserve) > 0)
    }

    @Test("free pages are only reserved where the log has room for all of them, which an ordinary transaction provides")
    func fill() {
        var ledger = SpaceReserve()
        ledger.noteLog(frames: 100)
        let fill = (SpaceReserve.pageReserve + SpaceReserve.pageStep) * (24 + SpaceReserve.pageSize)
        ledger.logAllocated = ledger.logUsed + fill
        #expect(!ledger.hasLogToFill)
        ledger.logAllocated = ledger.wantedLog
        #expect(ledger.hasLogToFill)
    }

    @Test("the number of pages is needed at first, after a change of the free ones, and without a full reserve")
    func pageCounts() {
        var ledger = SpaceReserve()
        let kept = SpaceReserve.pageReserve
        ledger.noteFree(kept)
        #expect(ledger.mayHaveGrown(free: kept), "nothing is allocated yet")
        ledger.pagesAllocated = 1000
        #expect(!ledger.mayHaveGrown(free: kept))
        #expect(ledger.mayHaveGrown(free: kept + 1) && ledger.mayHaveGrown(free: kept - 1))
        ledger.noteFree(kept - 1)
        #expect(ledger.mayHaveGrown(free: kept - 1))
    }
}
