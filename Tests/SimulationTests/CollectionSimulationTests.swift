import Simulation
import Testing

/// Runs a few of the histories in a build with all checks. An optimised build runs thousands a second.
@Suite("Simulation of garbage collection")
struct CollectionSimulationTests {
    @Test("no device or collector, however late, removes a chunk that is needed, and garbage is gone at the end")
    func histories() throws {
        let start = UInt64.random(in: 0..<1 << 40)
        for seeds in [1..<81, start..<start + 40] {
            let run = try CollectionCampaign(seeds: seeds).run()
            if let failure = run.failure { Issue.record("\(try CollectionCampaign.shrink(failure).report)") }
            #expect(run.figures.removedKeys > 0 && run.figures.refusedBatches > 0)
        }
    }

    @Test("each deliberate mistake is detected", arguments: CollectionMistake.allCases)
    func mistake(_ mistake: CollectionMistake) throws {
        let run = try CollectionCampaign(seeds: 1..<2_001, mistake: mistake).run()
        #expect(run.failure != nil, "\(mistake.summary), and no history showed it")
    }
}
