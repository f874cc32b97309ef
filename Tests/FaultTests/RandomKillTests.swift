import Faults
import Foundation
import TestSupport
import Testing

extension FaultSuite {
    /// The daemon dies at any time while several programs write.
    @Suite("A crash at any time")
    struct RandomKillTests {
        @Test(
            "whenever the daemon dies while programs write, no acknowledged data is lost, and what was reported as uploaded is uploaded"
        )
        func storm() async throws {
            try await FaultBench.with { bench in
                let wanted = Extent.isFull ? 20_000 : 300
                let least = Extent.isFull ? 200 : 3
                var tally = StormTally()
                while tally.acknowledged < wanted || tally.deaths < least {
                    try await bench.storms(Extent.isFull ? 10 : 3, &tally)
                    print("storms: \(tally)")
                }
                #expect(tally.samples > 0, "no status was read")
            }
        }
    }
}

/// The numbers of deaths, of operations and of samples during the storms.
struct StormTally: CustomStringConvertible {
    var deaths = 0
    var acknowledged = 0
    var inFlight = 0
    var samples = 0
    var uploaded = 0

    var description: String {
        "\(deaths) deaths, \(acknowledged) acknowledged, \(inFlight) in flight, \(samples) reads of the status, "
            + "\(uploaded) documents reported as uploaded"
    }
}

extension FaultBench {
    /// Runs some storms, then checks all documents on both devices and removes them.
    func storms(_ count: Int, _ tally: inout StormTally) async throws {
        for _ in 0..<count {
            tally.deaths += 1
            let before = ledger.unacknowledged
            tally.samples += try await storm(round: tally.deaths)
            guard ledger.unacknowledged > before else {
                throw EndToEndError("nothing was in flight: the death proved nothing")
            }
        }
        try await expectKeptEverywhere("storms up to \(tally.deaths)")
        tally.acknowledged += ledger.acknowledged
        tally.inFlight += ledger.unacknowledged
        tally.uploaded += ledger.uploaded.count
        ledger = OperationLedger()
        try await victim.shell("find . -mindepth 1 -delete")
    }

    /// Runs four writers and a status reader until the victim dies. Returns the number of status reads.
    func storm(round: Int) async throws -> Int {
        let seeds = (0..<4).map { "\(round * 4 + $0)" }
        let stormRecords = seeds.map { _ in newRecord() }
        let sampleRecord = newRecord()
        let victim = victim
        let tool = "\(victim.binaries)/fault-tool"
        let samples = try await withThrowingTaskGroup(of: Int.self) { group in
            for (seed, record) in zip(seeds, stormRecords) {
                group.addTask {
                    _ = try await victim.runner.run(
                        tool, ["storm", record, victim.documents, seed, "1000000"], in: "/")
                    return 0
                }
            }
            group.addTask {
                let output = try await victim.runner.run(tool, ["sample", sampleRecord, victim.documents], in: "/")
                    .text()
                return output.split(separator: " ").last.flatMap { Int($0) } ?? 0
            }
            // The time to start a program is not bounded, so this waits until each of them writes.
            try await eventually("all writers are writing") {
                stormRecords.allSatisfy { FileManager.default.fileExists(atPath: $0) }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...(Extent.isFull ? 3_000 : 800))))
            try await victim.kill9()
            return try await group.reduce(0, +)
        }
        for record in stormRecords { try enter(record) }
        if FileManager.default.fileExists(atPath: sampleRecord) { try enter(sampleRecord) }
        try await expectUploaded("storm \(round), without the victim")
        try await recover()
        try await expectKept("storm \(round)")
        return samples
    }
}
