import Glibc
import Testing

/// Faults injected into real daemons on real mounts. The tests run in sequence, because each needs the machine alone.
@Suite("Faults", .serialized, .timeLimit(.minutes(60)))
enum FaultSuite {}

/// The extent of the tests: a quick share, or everything (`make faults ALL=1`).
enum Extent {
    static let isFull = getenv("FAULTS_ALL") != nil

    /// Returns evenly spread numbers of 1...last: `share` of them, or all and some more, because the next run may make more calls.
    static func points(_ last: Int, share: Int) -> [Int] {
        guard !isFull, last > share else { return Array(1...max(1, last + (isFull ? 3 : 0))) }
        return (0..<share).map { 1 + (2 * $0 + 1) * (last - 1) / (2 * share) }
    }
}
