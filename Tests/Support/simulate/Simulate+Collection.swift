import ArgumentParser
import Simulation

/// Histories of garbage collection: in memory, so a process runs hundreds of them in a second.
extension Simulate {
    /// Runs the options' histories, or a single history with its story.
    func runCollections() throws {
        let mistake = bug.flatMap(CollectionMistake.init)
        if let seed {
            var plan = CollectionHistoryPlan(seed: seed, mistake: mistake)
            plan.isVerbose = verbose
            let outcome = try CollectionHistory.live(plan)
            guard outcome.problem != nil else { return print(outcome.report) }
            return try explain(outcome)
        }
        let first = UInt64(start) ?? .random(in: 0..<1 << 40)
        let began = ContinuousClock.now
        let run = try CollectionCampaign(seeds: first..<first + UInt64(histories), mistake: mistake).run()
        let seconds = (ContinuousClock.now - began).components.seconds
        print("collections from seed \(first) in \(seconds) s: \(run.figures.text)")
        if let failure = run.failure { try explain(failure) }
    }

    /// Checks that each mistake of collections is found.
    ///
    /// - Returns: The number of missed mistakes.
    func findCollectionMistakes() throws -> Int {
        var missed = 0
        for mistake in CollectionMistake.allCases {
            let run = try CollectionCampaign(seeds: 1..<10_001, mistake: mistake).run()
            if run.failure == nil { missed += 1 }
            print(
                "\(mistake.rawValue) (\(mistake.summary)): \(run.failure == nil ? "MISSED in" : "found in") "
                    + "\(run.figures.histories) histories of collections; "
                    + (run.failure.map { "seed \($0.plan.seed): \($0.problem ?? "")" } ?? ""))
        }
        return missed
    }

    private func explain(_ outcome: CollectionHistory.Outcome) throws {
        print(try CollectionCampaign.shrink(outcome).report)
        throw ExitCode.failure
    }
}
