import Simulation
import Testing

/// Runs a few of the histories in a build with all checks. An optimised build runs thousands a second.
@Suite("Simulation of garbage collection")
struct CollectionSimulationTests {
    @Test("no device or collector, however late, removes a chunk that is needed, and garbage is gone at the end")
    func histories() throws {
        let start = UInt64.random(in: 0..<1 << 40)
        for seeds in [1..<41, start..<start + 20] {
            let run = try CollectionCampaign(seeds: seeds).run()
            if let failure = run.failure { Issue.record("\(try CollectionCampaign.shrink(failure).report)") }
            #expect(run.figures.removedKeys > 0 && run.figures.refusedBatches > 0)
        }
    }

    @Test("a seed gives the same history each time")
    func determinism() throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            var plan = CollectionHistoryPlan(seed: seed)
            plan.isVerbose = true
            let story = try CollectionHistory.live(plan).story
            #expect(try story == CollectionHistory.live(plan).story && !story.isEmpty)
        }
    }

    /// These are mistakes exposed by a few histories. The optimised program also finds the rare mistake.
    @Test(
        "deliberate mistakes are detected", arguments: CollectionMistake.allCases.filter { $0 != .forgetsDoneLists })
    func mistake(_ mistake: CollectionMistake) throws {
        let run = try CollectionCampaign(seeds: 1..<201, mistake: mistake).run()
        #expect(run.failure != nil, "\(mistake.summary), and no history showed it")
    }
}
