import Foundation
import Simulation
import Testing

/// Runs a few histories in a build with all checks. An optimised build runs thousands.
@Suite("Simulation of whole devices", .serialized)
struct SimulationTests {
    @Test(
        "after all faults are repaired, all devices show the same, no acknowledged data is lost, no deleted item is back, and no work is left"
    )
    func histories() throws {
        let campaign = Campaign(seeds: 1..<81)
        let result = try campaign.run()
        let shared = try SharedParts()
        for seed in result.failed {
            Issue.record("\(try History.live(campaign.plan(of: seed), shared: shared).report)")
        }
    }

    @Test("a plan gives the same history each time, on a used disk and on a new one")
    func determinism() throws {
        let shared = try SharedParts()
        for seed in 1...10 as ClosedRange<UInt64> {
            let plan = Plan(seed: seed, steps: 60)
            let one = try History.live(plan, shared: shared)
            let two = try History.live(plan, shared: seed < 4 ? SharedParts() : shared)
            #expect(one.story == two.story)
            #expect(one.digest == two.digest, "seed \(seed)")
        }
    }

    /// These are mistakes exposed by a few histories. The optimised program also finds the rare mistakes.
    @Test(
        "deliberate mistakes are detected",
        arguments: [
            SeededBug.lastWriterWins, .deleteBeatsEdit, .noTombstones, .sweepsEdits, .tornUpload, .evictsEdits,
            .swappedBase,
        ])
    func seededBug(_ bug: SeededBug) throws {
        let search = try MistakeSearch(bug: bug).run(SharedParts())
        #expect(search.outcome != nil, "\(bug.summary), and none of \(search.histories) histories showed it")
    }

    @Test("a failing history is reduced to a shorter one that still fails")
    func shrinking() throws {
        let shared = try SharedParts()
        let failing = try #require(try MistakeSearch(bug: .evictsEdits).run(shared).outcome)
        var shrinker = Shrinker(budget: 60) { try History.live($0, shared: shared) }
        let short = try shrinker.shrink(failing)
        #expect(short.plan.steps.count < failing.plan.steps.count)
        #expect(try !History.live(short.plan, shared: shared).problems.isEmpty)
    }

    @Test("what one device created alone is the same before and after a sync")
    func lonely() throws {
        // The first seed found a folder moved into its own former subfolder.
        try live(also: [505_247_969_707], count: 100, hasFollower: false)
    }

    @Test("a device that only follows shows the same as the other one, and sends nothing")
    func followed() throws {
        // The first seed found a package exchanged with a folder while a batch was being sent.
        try live(also: [490_582_153_270], count: 100, hasFollower: true)
    }

    @Test("what one device created alone in a container that ignores case is the same after a sync, and on a follower")
    func ignoringCase() throws { try live(also: [], count: 60, hasFollower: true, vocabulary: .fifth) }

    private func live(
        also known: [UInt64], count: UInt64, hasFollower: Bool, vocabulary: Vocabulary = .usual
    ) throws {
        let shared = try SharedParts()
        let start = UInt64.random(in: 0..<1 << 40)
        for seed in known + Array(start..<start + count) {
            let history = try LonelyHistory(
                seed: seed, steps: 12, hasFollower: hasFollower, vocabulary: vocabulary, shared: shared)
            guard !history.problems.isEmpty else { continue }
            Issue.record("seed \(seed)\n\((history.problems + history.story).joined(separator: "\n"))")
            return
        }
    }
}
