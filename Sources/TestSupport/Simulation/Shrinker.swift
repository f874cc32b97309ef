/// Leaves out the unneeded steps of a failing history: blocks of steps first, single ones last (Zeller's delta
/// debugging).
package struct Shrinker {
    /// How many more histories may be tried.
    private var budget: Int
    private let run: (Plan) throws -> Outcome

    package init(budget: Int = 200, run: @escaping (Plan) throws -> Outcome) {
        self.budget = budget
        self.run = run
    }

    /// Returns the shortest failing history found, initially the given one.
    package mutating func shrink(_ failing: Outcome) throws -> Outcome {
        var best = failing
        var block = max(1, best.plan.steps.count / 2)
        while budget > 0 {
            let (shorter, isShorter) = try pass(best, block)
            best = shorter
            if block == 1, !isShorter { break }
            block = max(1, isShorter ? block : block / 2)
        }
        return best
    }

    /// Tries to leave out each block with that number of steps.
    private mutating func pass(_ failing: Outcome, _ block: Int) throws -> (Outcome, isShorter: Bool) {
        var (best, isShorter) = (failing, false)
        var start = 0
        while start < best.plan.steps.count, budget > 0 {
            var plan = best.plan
            plan.steps.removeSubrange(start..<min(start + block, plan.steps.count))
            budget -= 1
            let outcome = try run(plan)
            if outcome.problems.isEmpty {
                start += block
            } else {
                (best, isShorter) = (outcome, true)
            }
        }
        return (best, isShorter)
    }
}
