import Faults
import TestSupport
import Testing

extension FaultSuite {
    /// The daemon dies instead of making its N-th system call.
    @Suite("A crash at a system call")
    struct KillPointTests {
        @Test("no acknowledged data is lost at whichever call the process dies", arguments: Flow.chosen)
        func flow(_ flow: Flow) async throws {
            try await FaultBench.with { bench in
                let calls = try await bench.count(flow)
                #expect(calls > 0, "the flow makes no calls: nothing is tried")
                var deaths = 0
                for (number, point) in Extent.points(calls, share: 3).enumerated() {
                    if try await bench.die(at: point, of: flow, number + 1) { deaths += 1 }
                }
                print("\(flow): \(calls) calls, \(deaths) deaths, \(bench.ledger.acknowledged) acknowledged")
                #expect(deaths > 0, "no daemon died")
                try await bench.expectKeptEverywhere("\(flow)")
            }
        }

        @Test("if a start after a crash dies at any call, the next start has all data")
        func startUp() async throws {
            try await FaultBench.with { bench in
                var calls = try await bench.countStart(1)
                var deaths = 0
                for (number, point) in Extent.points(calls, share: 4).enumerated() {
                    let count = try await bench.dieTwice(at: point, number + 2)
                    calls = max(calls, count ?? 0)
                    if count == nil { deaths += 1 }
                }
                print("start-up: \(calls) calls, \(deaths) deaths, \(bench.ledger.acknowledged) acknowledged")
                #expect(deaths > 0, "no daemon died")
                try await bench.expectKeptEverywhere("start-up")
            }
        }
    }
}

extension FaultBench {
    /// Returns the number of calls in a flow without faults.
    func count(_ flow: Flow, _ concerns: (@Sendable (ObservedCall) -> Bool)? = nil) async throws -> Int {
        try await flow.prepare(self, 0)
        supervisor?.begin(FaultPlan(concerns: concerns ?? mutations))
        try await flow.act(self, 0)
        return supervisor?.end()?.count ?? 0
    }

    /// Kills the victim at a call of a flow. Returns whether it died: the flow may have made fewer calls this time.
    func die(at point: Int, of flow: Flow, _ number: Int) async throws -> Bool {
        try await flow.prepare(self, number)
        supervisor?.begin(FaultPlan(.kill, at: point, concerns: mutations))
        try await flow.act(self, number)
        guard let struck = supervisor?.struck else {
            supervisor?.end()
            try await expectKept("\(flow), undisturbed at \(point)")
            return false
        }
        // The cloud has everything reported as uploaded, even without the victim.
        try await expectUploaded("\(flow), dead at call \(point), \(struck)")
        try await recover()
        try await expectKept("\(flow), dead at call \(point), \(struck)")
        return true
    }

    func expectUploaded(_ when: String) async throws {
        guard !ledger.uploaded.isEmpty else { return }
        var missing: [String] = []
        try await eventually("the observer has what was uploaded: \(when)") {
            missing = ledger.missing(in: try await look(observer))
            return missing.isEmpty
        } describe: {
            "\(missing.prefix(10))"
        }
    }

    /// Leaves work for recovery: an open edit, unsent changes, an upload in progress.
    private func dieBusy(_ number: Int) async throws {
        try await Flow.upload.prepare(self, number)
        supervisor?.begin(FaultPlan(.kill, at: 40, concerns: mutations))
        try await Flow.upload.act(self, number)
        try await perform([.replace(path: "start", generation: number), .write(path: "start\(number)", generation: 1)])
        supervisor?.end()
        try await victim.kill9()
    }

    func countStart(_ number: Int) async throws -> Int {
        try await dieBusy(number)
        try await start(FaultPlan(concerns: mutations))
        try await expectKept("after a start")
        return supervisor?.end()?.count ?? 0
    }

    /// Kills the victim in the middle of its work, and again at a call of the next start. Returns the number of the
    /// start's calls, or nil if the victim died at that call.
    func dieTwice(at point: Int, _ number: Int) async throws -> Int? {
        try await dieBusy(number)
        do {
            try await start(FaultPlan(.kill, at: point, concerns: mutations))
        } catch {
            guard supervisor?.struck != nil else { throw error }
        }
        let struck = supervisor?.struck
        let count = supervisor?.end()?.count
        try await recover()
        try await expectKept("dead twice, at call \(point) of the start, \(String(describing: struck))")
        return struck == nil ? count : nil
    }
}
