/// Searches for a history that exposes a deliberate mistake.
package struct MistakeSearch {
    let bug: SeededBug
    /// The most histories to run.
    private static let limit = 2000
    private static let steps = 60

    package init(bug: SeededBug) { self.bug = bug }

    package func run(_ shared: SharedParts) throws -> (outcome: Outcome?, histories: Int) {
        for seed in 1...UInt64(Self.limit) {
            let outcome = try History.live(
                Plan(seed: seed, steps: Self.steps, bug: bug, vocabulary: bug.vocabulary), shared: shared)
            guard !outcome.problems.isEmpty else { continue }
            // A history that fails without the mistake as well does not expose it.
            let plan = Plan(seed: seed, steps: Self.steps, vocabulary: bug.vocabulary)
            let control = try History.live(plan, shared: shared)
            if control.problems.isEmpty { return (outcome, Int(seed)) }
        }
        return (nil, Self.limit)
    }
}
