import Faults
import Glibc
import TestSupport
import Testing

extension FaultSuite {
    /// The disk fails a single sync. The kernel then marks the unwritten data as written, so later syncs cannot be
    /// trusted.
    @Suite("A sync call that fails once")
    struct FailedSyncTests {
        @Test("a daemon whose database failed a sync logs it, ends, and has everything when it is started again")
        func database() async throws {
            try await FaultBench.with { bench in
                try await bench.perform([.sync(path: "before", generation: 1)])
                bench.supervisor?.begin(
                    FaultPlan(.error(EIO)) { $0.call == .fdatasync && $0.target.hasSuffix("/metadata.sqlite-wal") })
                let refused = try await bench.perform([
                    .sync(path: "refused", generation: 1), .write(path: "after", generation: 1),
                ])
                #expect(bench.supervisor?.end()?.struck != nil, "nothing was refused")
                // The daemon's own next commit may have found the fault first, so that the program's sync finds no mount.
                let reasons = ["Input/output error", "No such file or directory", "endpoint is not connected"]
                #expect(reasons.contains { refused.errors.contains($0) }, "the program got no error: \(refused)")
                try await eventually("the daemon ends") { !bench.victim.daemon.isRunning }
                #expect(try bench.victim.timesGivenUp() > 0)
                try await bench.recover()
                try await bench.expectKept("after the daemon gave up")
                try await bench.perform([.sync(path: "again", generation: 1)])
                try await bench.expectKeptEverywhere("after the daemon gave up")
            }
        }

        @Test(
            "a document whose sync failed is not reported as durable by the next sync, until it was emptied and written again"
        )
        func document() async throws {
            try await FaultBench.with { bench in
                let blobs = "\(bench.victim.state)/content/"
                bench.supervisor?.begin(
                    FaultPlan(.error(EIO)) { $0.call == .fdatasync && $0.target.hasPrefix(blobs) })
                let output = try await bench.victim.shell(
                    """
                    exec 3<> doc; echo text >&3
                    for i in 1 2; do sync doc && echo yes || echo no; done
                    exec 3>&-
                    echo more > doc; sync doc && echo yes || echo no
                    """)
                #expect(bench.supervisor?.end()?.struck != nil, "nothing was refused")
                #expect(output == "no\nno\nyes")
                #expect(bench.victim.daemon.isRunning)
            }
        }

        @Test("a document whose sync failed at its upload is rewritten and sent, and no trace of the failure is left")
        func upload() async throws {
            try await FaultBench.with { bench in
                let blobs = "\(bench.victim.state)/content/"
                bench.supervisor?.begin(
                    FaultPlan(.error(EIO)) { $0.call == .fdatasync && $0.target.hasPrefix(blobs) })
                try await bench.perform([.write(path: "doc", generation: 1)])
                try await eventually("its sync is refused") { bench.supervisor?.struck != nil }
                bench.supervisor?.end()
                try await bench.expectKeptEverywhere("after a document was rewritten")
                let left = try await bench.victim.runner.run(
                    "find", [blobs, "-name", "unsynced*", "-o", "-name", "*.copy"], in: "/")
                #expect(try left.text().isEmpty)
            }
        }
    }
}
