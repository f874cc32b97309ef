import ArgumentParser
import Simulation

/// Histories of shared databases: in memory, so a process runs hundreds of them in a second.
extension Simulate {
    /// Runs the options' histories, or a single history with its story.
    func runDatabases() throws {
        let mistake = bug.flatMap(RecordMistake.init)
        if let seed {
            let outcome = try RecordHistory.live(RecordHistory.Plan(seed: seed, steps: steps, mistake: mistake))
            guard outcome.problem != nil else {
                return print(verbose ? outcome.report : "seed \(seed): all is well")
            }
            return try explain(outcome)
        }
        let first = UInt64(start) ?? .random(in: 0..<1 << 40)
        let began = ContinuousClock.now
        let seeds = first..<first + UInt64(histories)
        let run = try RecordCampaign(seeds: seeds, steps: steps, mistake: mistake).run()
        let seconds = (ContinuousClock.now - began).components.seconds
        print("databases from seed \(first) in \(seconds) s: \(run.figures.text)")
        if let failure = run.failure { try explain(failure) }
    }

    /// Checks that each mistake of merging databases is found.
    ///
    /// - Returns: The number of missed mistakes.
    func findDatabaseMistakes() throws -> Int {
        var missed = 0
        for mistake in RecordMistake.allCases {
            let run = try RecordCampaign(seeds: 1..<10_001, mistake: mistake).run()
            if run.failure == nil { missed += 1 }
            print(
                "\(mistake.rawValue) (\(mistake.summary)): \(run.failure == nil ? "MISSED in" : "found in") "
                    + "\(run.figures.histories) histories of databases; "
                    + (run.failure.map { "seed \($0.plan.seed): \($0.problem ?? "")" } ?? ""))
        }
        return missed
    }

    private func explain(_ outcome: RecordHistory.Outcome) throws {
        print(try RecordCampaign.shrink(outcome).report)
        throw ExitCode.failure
    }
}
