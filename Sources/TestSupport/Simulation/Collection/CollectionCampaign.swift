/// Runs many histories of collections, and reduces a failing one.
package struct CollectionCampaign: Sendable {
    package var seeds: Range<UInt64>
    package var mistake: CollectionMistake?

    package init(seeds: Range<UInt64>, mistake: CollectionMistake? = nil) {
        (self.seeds, self.mistake) = (seeds, mistake)
    }

    /// Returns the first failing history, and the events in all histories run.
    package func run() throws -> (failure: CollectionHistory.Outcome?, figures: CollectionFigures) {
        var figures = CollectionFigures()
        for seed in seeds {
            let outcome = try CollectionHistory.live(CollectionHistoryPlan(seed: seed, mistake: mistake))
            figures.add(outcome.figures)
            guard outcome.problem != nil else { continue }
            if mistake == nil { return (outcome, figures) }
            // A history that fails without the mistake as well does not expose it.
            let control = try CollectionHistory.live(CollectionHistoryPlan(seed: seed))
            if control.problem == nil { return (outcome, figures) }
        }
        return (nil, figures)
    }

    /// Leaves out steps while the history fails, and returns the shortest failing history with its story.
    package static func shrink(_ outcome: CollectionHistory.Outcome) throws -> CollectionHistory.Outcome {
        var plan = outcome.plan
        var size = max(1, plan.steps.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < plan.steps.count {
                var shorter = plan
                shorter.steps.removeSubrange(start..<min(start + size, plan.steps.count))
                if try CollectionHistory.live(shorter).problem != nil {
                    (plan, isShorter) = (shorter, true)
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            if !isShorter { size = max(1, size / 2) }
        }
        plan.isVerbose = true
        return try CollectionHistory.live(plan)
    }
}
