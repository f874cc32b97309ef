import Simulation
import Testing

/// Runs a few of the histories in a build with all checks. An optimised build runs hundreds a second.
@Suite("Simulation of shared databases")
struct RecordSimulationTests {
    @Test("what three devices commit offline is equal on all of them, and each row and value is accounted for")
    func histories() throws {
        let start = UInt64.random(in: 0..<1 << 40)
        for seeds in [1..<101, start..<start + 100] {
            let run = try RecordCampaign(seeds: seeds).run()
            if let failure = run.failure { Issue.record("\(try RecordCampaign.shrink(failure).report)") }
            let figures = run.figures
            #expect(figures.lost > 0 && figures.refusedDeletions > 0 && figures.united > 0 && figures.aside > 0)
            #expect(figures.baselines > 0 && figures.removals > 0)
        }
    }

    @Test("a seed gives the same history of databases each time")
    func determinism() throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let story = try RecordHistory.live(RecordHistory.Plan(seed: seed)).story
            #expect(try story == RecordHistory.live(RecordHistory.Plan(seed: seed)).story && !story.isEmpty)
        }
    }

    @Test("deliberate mistakes in merging databases are detected", arguments: RecordMistake.allCases)
    func mistake(_ mistake: RecordMistake) throws {
        let run = try RecordCampaign(seeds: 1..<901, mistake: mistake).run()
        #expect(run.failure != nil, "\(mistake.summary), and no history showed it")
    }
}
