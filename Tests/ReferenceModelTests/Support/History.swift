/// A sequence of calls with disruptions of a device between them.
struct History: Sendable {
    enum Step: Sendable {
        case call(Operation)
        case disruption(Disruption)
    }

    /// An event that must not be visible in the mount. Open files are closed before it.
    enum Disruption: Sendable {
        /// All files are evicted, and read again from the cloud.
        case eviction
        /// The daemon is stopped in an orderly way, or killed, and then started again.
        case restart
        case crash
        /// A remote device performs this operation, and so does the disk beside the mount.
        case elsewhere(Operation)
    }

    var steps: [Step]

    /// Returns a history of `count` calls and a few disruptions. The same seed returns the same history.
    static func random(seed: UInt64, calls count: Int, disruptions: Int) -> History {
        var generator = OperationGenerator(seed: seed)
        var steps = (0..<count).map { _ in Step.call(generator.next()) }
        for index in (1...max(1, disruptions)).reversed() where disruptions > 0 {
            steps.insert(.disruption(generator.nextDisruption()), at: count * index / (disruptions + 1))
        }
        return History(steps: steps)
    }

    /// The history as text for a failure message, a step per line.
    var description: String {
        steps.map { step in
            switch step {
            case .call(let operation): "  \(operation)"
            case .disruption(let disruption): "  -- \(disruption)"
            }
        }.joined(separator: "\n")
    }
}

extension OperationGenerator {
    mutating func nextDisruption() -> History.Disruption {
        switch number(below: 8) {
        case 0, 1: .eviction
        case 2: .restart
        case 3: .crash
        default: .elsewhere(nextElsewhere())
        }
    }

    /// Returns an operation of a single call with effects on all devices. An excluded name would disappear from the
    /// remote devices.
    private mutating func nextElsewhere() -> Operation {
        let (path, other) = (sharedPath(), sharedPath())
        return switch number(below: 8) {
        case 0...1: .truncate(path, size: 5000 * number(below: 9))
        case 2: .unlink(path)
        case 3...4: .rename(path, other, flags: 0)
        case 5: .makeFolder(path, mode: 0o755)
        case 6: .changeMode(path, mode: 0o640)
        default: .setAttribute(path, "user.elsewhere", count: 10, flags: 0)
        }
    }

    private mutating func sharedPath() -> Path {
        while true {
            let path = path()
            if !path.bytes.contains(UInt8(ascii: "~")) { return path }
        }
    }
}

/// A history's failed step, and the differences.
struct Failure: Sendable {
    var index: Int
    var complaints: [String]
}

extension History {
    /// Returns a shorter failing history, found by leaving out steps. `play` is called at most `attempts` times.
    func shrunk(
        from failure: Failure, attempts: Int, _ play: (History) async throws -> Failure?
    ) async rethrows -> (History, Failure) {
        var best = History(steps: Array(steps.prefix(failure.index + 1)))
        var reason = failure
        var left = attempts
        var length = max(1, best.steps.count / 2)
        while left > 0 {
            var start = 0
            while start < best.steps.count, left > 0 {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + length, best.steps.count))
                left -= 1
                if let found = try await play(candidate) {
                    best = History(steps: Array(candidate.steps.prefix(found.index + 1)))
                    reason = found
                } else {
                    start += length
                }
            }
            if length == 1 { break }
            length /= 2
        }
        return (best, reason)
    }
}
