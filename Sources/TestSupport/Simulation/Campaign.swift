/// Runs many histories in sequence; several processes may each run a share.
package struct Campaign: Sendable {
    package var seeds: Range<UInt64>
    package var steps: ClosedRange<Int>
    package var bug: SeededBug?
    package var vocabulary = Vocabulary.usual
    /// The number of failures that stops the campaign.
    package var failures: Int
    /// How many of the first histories are run twice, to compare the two runs.
    package var twice: Int
    package var share = 0
    package var shares = 1

    package init(
        seeds: Range<UInt64>, steps: ClosedRange<Int> = 8...80, bug: SeededBug? = nil, failures: Int = 1,
        twice: Int = 0
    ) {
        (self.seeds, self.steps, self.bug, self.failures, self.twice) = (seeds, steps, bug, failures, twice)
    }

    package struct Result: Codable, Sendable {
        package var histories = 0
        /// The seeds of failed histories.
        package var failed: [UInt64] = []
        /// The seeds of histories that differed the second time.
        package var differing: [UInt64] = []
        /// The first difference in each of them.
        package var differences: [String] = []
        /// A digest of all outcomes, independent of their order.
        package var digest: UInt64 = 0

        package init() {}

        package mutating func add(_ other: Result) {
            histories += other.histories
            failed += other.failed
            differing += other.differing
            differences += other.differences
            digest &+= other.digest
        }
    }

    /// Returns the plan of a seed. Short histories are first, because their failures are easy to read.
    package func plan(of seed: UInt64) -> Plan {
        let done = Int(seed - seeds.lowerBound), span = steps.upperBound - steps.lowerBound
        return Plan(
            seed: seed, steps: steps.lowerBound + done * span / max(1, seeds.count), bug: bug, vocabulary: vocabulary)
    }

    /// Runs the histories. Calls `progress` after every hundredth history with the number of finished ones.
    package func run(progress: (Int) -> Void = { _ in }) throws -> Result {
        let shared = try SharedParts()
        var result = Result()
        for seed in seeds where Int(seed - seeds.lowerBound) % shares == share && result.failed.count < failures {
            let plan = plan(of: seed)
            let outcome = try History.live(plan, shared: shared)
            result.note(outcome)
            if seed - seeds.lowerBound < UInt64(twice) {
                result.compare(outcome, try History.live(plan, shared: shared))
            }
            if result.histories % 100 == 0 { progress(result.histories) }
        }
        return result
    }
}

extension Campaign.Result {
    fileprivate mutating func note(_ outcome: Outcome) {
        histories += 1
        if !outcome.problems.isEmpty { failed.append(outcome.plan.seed) }
        // The first eight bytes in hexadecimal; a sum does not depend on the order.
        digest &+= UInt64(outcome.digest.prefix(16), radix: 16) ?? 0
    }

    fileprivate mutating func compare(_ one: Outcome, _ two: Outcome) {
        guard one.digest != two.digest else { return }
        differing.append(one.plan.seed)
        let count = max(one.story.count, two.story.count)
        // The shorter story is continued with empty lines.
        let stories = [one, two].map { $0.story + Array(repeating: "", count: count) }
        let line = zip(stories[0], stories[1]).first { $0 != $1 }
        differences.append(
            "seed \(one.plan.seed): " + (line.map { "‘\($0)’, then ‘\($1)’" } ?? "the same story, other entries"))
    }
}
