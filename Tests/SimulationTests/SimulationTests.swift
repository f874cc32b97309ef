import Foundation
import Testing

/// Random histories of whole devices. `SIMULATION_SEED=… ` replays one, `SIMULATION_HISTORIES=…` says how many a run goes through.
@Suite("Whole devices that work apart")
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["SIMULATION_HISTORIES"].flatMap(Int.init) ?? 200
    /// How many failures to show.
    private static let failures = environment["SIMULATION_FAILURES"].flatMap(Int.init) ?? 1
    private static let seed = environment["SIMULATION_SEED"].flatMap(UInt64.init)
    /// The first seed. Every run goes through the same histories unless it says otherwise; `random` looks for new ones.
    private static let start: UInt64? =
        switch environment["SIMULATION_START"] {
        case "random": nil
        case let text: text.flatMap(UInt64.init) ?? 1
        }
    private static let steps = environment["SIMULATION_STEPS"].flatMap(Int.init)

    @Test(
        "after healing all devices show the same, nothing acknowledged is lost, nothing deleted is back, and all is quiet"
    )
    func histories() throws {
        let shared = try SimulatedDevice.SharedParts()
        if let seed = Self.seed {
            try check(seed, steps: Self.steps ?? 40, shared)
            return
        }
        let start = Self.start ?? UInt64.random(in: 0..<1 << 40)
        var failures = 0
        for number in 0..<Self.count where failures < Self.failures {
            // Short ones first: what they find is easy to read.
            let steps = Self.steps ?? 8 + number * 72 / Self.count
            if try !check(start + UInt64(number), steps: steps, shared) { failures += 1 }
        }
    }

    @Test("what one device made alone is the same before and after it told the cloud")
    func lonely() throws {
        let shared = try SimulatedDevice.SharedParts()
        let start = Self.seed ?? UInt64.random(in: 0..<1 << 40)
        for seed in start..<start + UInt64(Self.seed == nil ? Self.count / 2 : 1) {
            let history = try LonelyHistory(seed: seed, steps: 12, shared: shared)
            guard !history.problems.isEmpty else { continue }
            Issue.record(
                """
                SIMULATION_SEED=\(seed)
                \(history.problems.joined(separator: "\n"))
                \(history.story.joined(separator: "\n"))
                """)
            return
        }
    }

    @discardableResult
    private func check(_ seed: UInt64, steps: Int, _ shared: SimulatedDevice.SharedParts) throws -> Bool {
        let history = try History(seed: seed, steps: steps, shared: shared)
        defer { history.cleanUp() }
        var found: [String]
        do { found = try history.problems() } catch { found = ["failed: \(error)"] }
        guard !found.isEmpty else { return true }
        Issue.record(
            """
            SIMULATION_SEED=\(seed) SIMULATION_STEPS=\(steps)
            \(found.joined(separator: "\n"))
            \(history.story.joined(separator: "\n"))
            """)
        return false
    }
}
