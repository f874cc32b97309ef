import Faults
import Foundation
import TestSupport
import Testing

extension FaultSuite {
    /// Opens of a name while its file is being replaced.
    @Suite("Races of saves and opens")
    struct SaveRaceTests {
        /// Runs `body` with two devices sharing a document.
        private func withDocument(_ body: (FaultBench) async throws -> Void) async throws {
            try await FaultBench.with { bench in
                try await bench.perform([.replace(path: "doc", generation: 1)])
                try await bench.victim.sync()
                try await eventually("the observer has it") {
                    try await bench.look(bench.observer)["doc"] == .whole("doc", 1)
                }
                try await body(bench)
            }
        }

        @Test("of 10,000 opens of a document that is saved by rename none fails and none sees a mix of versions")
        func race() async throws {
            try await withDocument { bench in
                let record = bench.newRecord()
                let tool = "\(bench.victim.binaries)/fault-tool"
                let victim = bench.victim
                async let saving = victim.runner.run(
                    tool, ["save", record, victim.documents, "doc", "0"], in: "/", limit: .seconds(300))
                let output = try await bench.tool(
                    "race", bench.victim.path("doc"), "10000", "50", limit: .seconds(240)
                ).text()
                try Data().write(to: URL(filePath: "\(record).stop"))
                try await saving.text()
                try bench.enter(record)
                print("saves and opens: \(output)")
                #expect(output.contains("failures 0 "), "\(output)")
                try await bench.observer.sync()
                try await eventually("the last save is here") {
                    var ledger = bench.ledger
                    return ledger.settle(try await bench.look(bench.victim)).isEmpty
                }
                try await bench.expectKeptEverywhere("after the race")
            }
        }

        @Test("of 10,000 opens of a document that another device saves none fails and none sees a mix of versions")
        func fromElsewhere() async throws {
            try await withDocument { bench in
                let record = bench.newRecord()
                let (observer, saver) = (bench.observer, bench.victim)
                let tool = "\(saver.binaries)/fault-tool"
                // Each save must reach the other device before the next save, because a constantly written document is
                // not uploaded.
                async let saving = saver.runner.run(
                    tool, ["save", record, saver.documents, "doc", "500000"], in: "/", limit: .seconds(300))
                let output = try await bench.tool(
                    "race", "\(observer.documents)/doc", "10000", "5", limit: .seconds(240)
                ).text()
                try Data().write(to: URL(filePath: "\(record).stop"))
                try await saving.text()
                try bench.enter(record)
                print("opens and saves from elsewhere: \(output)")
                #expect(output.contains("failures 0 "), "\(output)")
                try await bench.expectKeptEverywhere("after the race")
            }
        }
    }
}
