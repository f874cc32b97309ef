import Faults
import TestSupport
import Testing

extension FaultSuite {
    /// A device's daemon works while its clock is set forward and back by hours.
    @Suite("A clock that jumps")
    struct ClockJumpTests {
        private static let hour = 3600

        @Test(
            "whatever the clock is set to, edits are synced both ways, in the order they were made, without a conflict")
        func jumps() async throws {
            try await FaultBench.with { bench in
                let clock = try ShiftedClock(of: bench.victim, in: bench.test.plain("clock"))
                try await bench.victim.stop()
                try await clock.start()
                for (number, hours) in [5, -7, 0, 24 * 400, -24 * 400, 1].enumerated() {
                    try clock.set(hours * Self.hour)
                    try await bench.editBothWays(number + 1)
                    if number == 2 {
                        try await bench.victim.kill9()
                        try await clock.start()
                    }
                }
                let names = try await bench.look(bench.victim).keys.sorted()
                #expect(names == ["here", "there"], "there are conflict siblings")
                #expect(try await clock.isUsed(), "the daemon has the machine's clock")
                try await bench.expectKeptEverywhere("after the clock jumped")
            }
        }
    }
}

extension FaultBench {
    /// Edits the same two documents on both devices in turn, each on top of the other device's last edit.
    fileprivate func editBothWays(_ number: Int) async throws {
        try await perform([
            .replace(path: "here", generation: 2 * number), .write(path: "there", generation: 2 * number),
        ])
        try await victim.sync()
        try await expectSame("edit \(number) of the device whose clock jumps")
        try await perform(
            [.write(path: "here", generation: 2 * number + 1), .replace(path: "there", generation: 2 * number + 1)],
            on: observer)
        try await observer.sync()
        try await expectSame("edit \(number) of the other device")
    }

    private func expectSame(_ what: String) async throws {
        try await eventually("\(what) is on both", within: .seconds(30)) {
            var (mine, other) = (ledger, ledger)
            let (shown, shownThere) = try await (look(victim), look(observer))
            return mine.settle(shown).isEmpty && other.settle(shownThere).isEmpty
        } describe: {
            "\(try await look(victim)) and \(try await look(observer))"
        }
    }
}
