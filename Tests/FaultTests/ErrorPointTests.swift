import Faults
import Glibc
import TestSupport
import Testing

extension FaultSuite {
    /// The disk fails the N-th system call of the daemon, or all calls from there on.
    @Suite("An error at a system call")
    struct ErrorPointTests {
        struct Refusal: CustomStringConvertible, Sendable {
            let description: String
            let code: Int32
            let lasts: Bool

            /// Two of the refusals, all of them, or the named refusal (`make faults FLOW=upload REFUSAL='EIO once'`).
            static var chosen: [Refusal] {
                guard let name = getenv("FAULTS_REFUSAL").map({ String(cString: $0) }) else {
                    return Extent.isFull ? all : [all[1], all[2]]
                }
                return all.filter { $0.description == name }
            }

            private static let all = [
                Refusal(description: "EIO once", code: EIO, lasts: false),
                Refusal(description: "EIO for ever", code: EIO, lasts: true),
                Refusal(description: "ENOSPC once", code: ENOSPC, lasts: false),
                Refusal(description: "ENOSPC for ever", code: ENOSPC, lasts: true),
            ]
        }

        @Test(
            "whichever call a disk refuses, programs get errors for data that is not stored, nothing hangs, and everything works afterwards",
            arguments: Flow.chosen, Refusal.chosen)
        func flow(_ flow: Flow, _ refusal: Refusal) async throws {
            try await FaultBench.with(reads: true) { bench in
                let calls = try await bench.count(flow, bench.diskCalls)
                #expect(calls > 0, "the flow makes no calls: nothing is tried")
                var refused = 0
                for (number, point) in Extent.points(calls, share: 4).enumerated() {
                    if try await bench.refuse(refusal, at: point, of: flow, number + 1) { refused += 1 }
                    // A flow may make fewer calls the second time; for a share, a single refused call is enough.
                    if refused > 0, !Extent.isFull { break }
                }
                print(
                    "\(flow), \(refusal): \(calls) calls, \(refused) refused, \(bench.ledger.acknowledged) acknowledged, "
                        + "\(bench.ledger.unacknowledged) returned an error")
                #expect(refused > 0, "nothing was refused")
                try await bench.expectKeptEverywhere("\(flow), \(refusal)")
            }
        }

        @Test("a file whose creation failed is neither listed nor found, and can be created afterwards")
        func create() async throws {
            try await FaultBench.with { bench in
                let blobs = "\(bench.victim.state)/content/"
                // A single error is not enough: a call that fails on a full disk is retried after space is freed.
                bench.supervisor?.begin(
                    FaultPlan(.error(ENOSPC), lasts: true) { $0.call == .utimensat && $0.target.hasPrefix(blobs) })
                let refused = try await bench.perform([.write(path: "new", generation: 1)])
                #expect(bench.supervisor?.end()?.struck != nil, "nothing was refused")
                #expect(refused.errors.contains("No space left on device"), "\(refused)")
                #expect(try await bench.victim.list().isEmpty)
                #expect(try await !bench.victim.tryShell("stat new").succeeded)
                try await bench.perform([.write(path: "new", generation: 2)])
                try await bench.expectKeptEverywhere("after a file could not be made")
            }
        }
    }
}

extension FaultBench {
    /// Lets calls of a flow fail, then kills the victim: everything acknowledged despite the error must have been kept.
    func refuse(_ refusal: FaultSuite.ErrorPointTests.Refusal, at point: Int, of flow: Flow, _ number: Int) async throws
        -> Bool
    {
        try await flow.prepare(self, number)
        let givenUp = try victim.timesGivenUp()
        supervisor?.begin(
            FaultPlan(.error(refusal.code), at: point, lasts: refusal.lasts, concerns: diskCalls))
        try await flow.act(self, number)
        let struck = supervisor?.end()?.struck
        let when = "\(flow), \(refusal) at \(point), \(struck.map { "\($0)" } ?? "never")"
        if try victim.timesGivenUp() > givenUp {
            // A daemon must end if its database may have lost commits.
            try await eventually("\(when): the daemon ends") { !victim.daemon.isRunning }
            try await recover()
        }
        guard victim.daemon.isRunning else { throw EndToEndError("\(when): the daemon died of it") }
        // The daemon needs some time to notice the return of an unresponsive cloud.
        try await eventually("\(when): all can be read") { try await !look(victim).isEmpty }
        if flow.description == Flow.download.description { try await expectArrived(when) }
        try await expectKept(when)
        try await expectUploaded(when)
        try await recover()
        try await expectKept("\(when), and dead after")
        return struck != nil
    }
}
