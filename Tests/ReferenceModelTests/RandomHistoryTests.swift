import Foundation
import TestSupport
import Testing

extension ReferenceModel {
    /// Checks that the mount behaves like a local disk for all calls in any order.
    @Suite("Random histories", .timeLimit(.minutes(240)))
    struct RandomHistoryTests {
        /// The number of calls; higher with `make model OPERATIONS=100000`.
        private static let operations = number("MODEL_OPERATIONS") ?? 3000
        private static let callsPerHistory = 250

        private static func number(_ variable: String) -> Int? {
            ProcessInfo.processInfo.environment[variable].flatMap(Int.init)
        }

        @Test(
            "random calls return and leave the same in the mount as on the disk, through evictions, restarts and crashes of the daemon and changes of another device"
        )
        func random() async throws {
            let seed = Self.number("MODEL_SEED").map(UInt64.init) ?? UInt64.random(in: 0..<1 << 32)
            print("The seed of the random histories is \(seed): `make model SEED=\(seed)` plays them again.")
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let playground = try Playground(test)
                for round in 0..<max(1, Self.operations / Self.callsPerHistory) {
                    let history = History.random(
                        seed: seed &+ UInt64(round), calls: Self.callsPerHistory, disruptions: 1)
                    guard let failure = try await playground.play(history) else { continue }
                    try await Self.report(history, failure, playground, "seed \(seed), history \(round)")
                    return
                }
            }
        }

        static func report(
            _ history: History, _ failure: Failure, _ playground: Playground, _ origin: String
        ) async throws {
            let first = failure.complaints.joined(separator: "\n  ")
            print("\(origin) fails at \(history.steps[failure.index]); making it shorter:\n  \(first)")
            let deadline = ContinuousClock.now + .seconds(90)
            let (short, reason) = try await history.shrunk(from: failure, attempts: 120) { candidate in
                ContinuousClock.now < deadline ? try await playground.play(candidate) : nil
            }
            let complaints = reason.complaints.map { "  \($0)" }.joined(separator: "\n")
            Issue.record("\(origin) fails, so does this:\n\(short.description)\nIts last step shows:\n\(complaints)")
        }
    }
}
