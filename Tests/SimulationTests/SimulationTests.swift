import Simulation
import Testing

/// A few histories in each run of the tests; `make simulate` goes through thousands.
@Suite("Whole devices that work apart")
struct SimulationTests {
    @Test(
        "after healing all devices show the same, nothing acknowledged is lost, nothing deleted is back, and all is quiet"
    )
    func histories() throws {
        let result = try Campaign(seeds: 1..<201).run()
        for outcome in result.failed { Issue.record("\(outcome.report)") }
    }

    @Test("a plan gives the same history each time")
    func determinism() throws {
        let shared = try SharedParts()
        for seed in 1...10 as ClosedRange<UInt64> {
            let plan = Plan(seed: seed, steps: 60)
            let (one, two) = (try History.live(plan, shared: shared), try History.live(plan, shared: shared))
            #expect(one.story == two.story)
            #expect(one.digest == two.digest, "seed \(seed)")
        }
    }

    /// Those that show in any few histories; `simulate --prove` finds the rare ones too.
    @Test(
        "mistakes that are made on purpose are found",
        arguments: [SeededBug.lastWriterWins, .noTombstones, .lostCommits, .sweepsEdits, .tornUpload, .evictsEdits])
    func seededBug(_ bug: SeededBug) throws {
        let result = try Campaign(seeds: 1..<501, steps: 40...80, bug: bug).run()
        #expect(!result.failed.isEmpty, "\(bug.summary), and nobody noticed in \(result.histories) histories")
    }

    @Test("a failing history is made shorter and still fails")
    func shrinking() throws {
        let shared = try SharedParts()
        let failing = try #require(Campaign(seeds: 1..<2001, steps: 40...80, bug: .evictsEdits).run().failed.first)
        var shrinker = Shrinker(budget: 60) { try History.live($0, shared: shared) }
        let short = try shrinker.shrink(failing)
        #expect(short.plan.steps.count < failing.plan.steps.count)
        #expect(try !History.live(short.plan, shared: shared).problems.isEmpty)
    }

    @Test("what one device made alone is the same before and after it told the cloud")
    func lonely() throws {
        let shared = try SharedParts()
        let start = UInt64.random(in: 0..<1 << 40)
        for seed in start..<start + 100 {
            let history = try LonelyHistory(seed: seed, steps: 12, shared: shared)
            guard !history.problems.isEmpty else { continue }
            Issue.record("seed \(seed)\n\((history.problems + history.story).joined(separator: "\n"))")
            return
        }
    }
}
