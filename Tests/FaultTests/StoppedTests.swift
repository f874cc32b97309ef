import Faults
import Foundation
import TestSupport
import Testing

extension FaultSuite {
    /// Daemons stopped by a signal and continued later.
    @Suite("A daemon that is stopped")
    struct StoppedTests {
        @Test(
            "programs that wait for a stopped daemon continue when it does; kill -9 ends a waiting reader while it is stopped"
        )
        func stopped() async throws {
            try await FaultBench.with { bench in
                try await bench.perform([.write(path: "before", generation: 1)])
                let record = bench.newRecord()
                let victim = bench.victim
                let tool = "\(victim.binaries)/fault-tool"
                async let writing = victim.runner.run(tool, ["storm", record, victim.documents, "1", "200"], in: "/")
                try await eventually("the writer is writing") { try Self.acknowledged(record) > 5 }
                // The lookup uses a separate folder: the kernel locks a waiting writer's folder, and no signal
                // interrupts a wait for that lock.
                try await victim.shell("mkdir apart; ls apart")
                let lookup = victim.path("apart/not-known-yet")
                for _ in 1...3 {
                    victim.freeze()
                    // The request of `stat` is queued, and the daemon does not read it.
                    let killed = try await victim.runner.run(
                        "bash",
                        [
                            "-c",
                            "stat \(lookup) & p=$!; until grep -qs fuse /proc/$p/stack; do kill -0 $p || break; done; "
                                + "kill -9 $p; wait $p; echo status $?",
                        ], in: "/", limit: .seconds(60))
                    victim.thaw()
                    #expect(killed.output.contains("status 137"), "\(killed)")
                }
                #expect(try await writing.text().isEmpty)
                try bench.enter(record)
                #expect(bench.ledger.acknowledged > 200)
                #expect(bench.ledger.unacknowledged == 0, "the writer got an error")
                try await bench.expectKeptEverywhere("after being stopped")
            }
        }

        @Test(
            "while the other device is stopped this one keeps working, and the other receives everything once it continues"
        )
        func otherDevice() async throws {
            try await FaultBench.with { bench in
                bench.observer.freeze()
                defer { bench.observer.thaw() }
                for number in 1...5 {
                    try await Flow.upload.prepare(bench, number)
                    try await Flow.upload.act(bench, number)
                }
                #expect(!bench.ledger.uploaded.isEmpty, "nothing was reported as uploaded")
                bench.observer.thaw()
                try await bench.expectKeptEverywhere("after the other was stopped")
            }
        }

        private static func acknowledged(_ record: String) throws -> Int {
            guard FileManager.default.fileExists(atPath: record) else { return 0 }
            return try String(contentsOfFile: record, encoding: .utf8).matches(of: /done/).count
        }
    }
}
