import Dispatch
import Synchronization

/// Many histories, on several threads.
package struct Campaign: Sendable {
    package var seeds: Range<UInt64>
    package var steps: ClosedRange<Int>
    package var bug: SeededBug?
    package var threads: Int
    /// Stops looking after so many failures.
    package var failures: Int

    package init(
        seeds: Range<UInt64>, steps: ClosedRange<Int> = 8...80, bug: SeededBug? = nil, threads: Int = 2,
        failures: Int = 1
    ) {
        (self.seeds, self.steps, self.bug, self.threads, self.failures) = (seeds, steps, bug, threads, failures)
    }

    package struct Result: Sendable {
        package var histories = 0
        package var failed: [Outcome] = []
        /// Over all outcomes, whatever the order in which the threads came to them.
        package var digest: UInt64 = 0
    }

    /// Short histories come first: what they find is easy to read. `progress` is told how many are done, now and then.
    package func plan(of seed: UInt64) -> Plan {
        let done = Int(seed - seeds.lowerBound), span = steps.upperBound - steps.lowerBound
        return Plan(seed: seed, steps: steps.lowerBound + done * span / max(1, seeds.count), bug: bug)
    }

    package func run(progress: @Sendable (Int) -> Void = { _ in }) throws -> Result {
        let shared = try SharedParts()
        let next = Atomic(seeds.lowerBound)
        let result = Mutex<(Result, (any Error)?)>((Result(), nil))
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let seed = next.add(1, ordering: .relaxed).oldValue
                let isOver = result.withLock { $0.0.failed.count >= failures || $0.1 != nil }
                guard seeds.contains(seed), !isOver else { return }
                do {
                    let outcome = try History.live(plan(of: seed), shared: shared)
                    let done = result.withLock { result in
                        result.0.note(outcome)
                        return result.0.histories
                    }
                    if done % 100 == 0 { progress(done) }
                } catch { result.withLock { $0.1 = error } }
            }
        }
        let (found, error) = result.withLock { $0 }
        if let error { throw error }
        return found
    }
}

extension Campaign.Result {
    fileprivate mutating func note(_ outcome: Outcome) {
        histories += 1
        if !outcome.problems.isEmpty { failed.append(outcome) }
        // The first eight bytes in hexadecimal; a sum does not ask in which order.
        digest &+= UInt64(outcome.digest.prefix(16), radix: 16) ?? 0
    }
}
