import TestSupport

/// Determines a history of collections. Each step has a separate source of randomness, so leaving out steps changes no
/// others.
package struct CollectionHistoryPlan: Sendable {
    package let seed: UInt64
    package var steps: [Int]
    package var mistake: CollectionMistake?
    /// Whether the steps are written down.
    package var isVerbose = false

    package init(seed: UInt64, steps: Int? = nil, mistake: CollectionMistake? = nil) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        self.steps = Array(0..<(steps ?? random.number(60..<320)))
        self.mistake = mistake
    }

    func random(of step: Int) -> SeededGenerator {
        var random = SeededGenerator(seed: seed ^ UInt64(truncatingIfNeeded: step + 1) &* 0xD6E8_FEB8_6659_FD93)
        return SeededGenerator(seed: random.next())
    }
}
