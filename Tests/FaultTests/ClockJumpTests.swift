import Faults
import Foundation
import TestSupport
import Testing

extension FaultSuite {
    /// The clock of one device's daemon is set by hours, there and back, while it works.
    @Suite("A clock that jumps")
    struct ClockJumpTests {
        private static let hour = 3600

        @Test("whatever the clock is set to, edits travel both ways, in the order they were made, and need no conflict")
        func jumps() async throws {
            try await FaultBench.with { bench in
                let clock = try SetClock(bench)
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
                #expect(try await clock.takesItsTimeFromHere(), "the daemon has the machine's clock")
                try await bench.expectKeptEverywhere("after the clock jumped")
            }
        }
    }
}

extension FaultBench {
    /// One edit after the other of the same two documents, each on top of what the other device has just made.
    fileprivate func editBothWays(_ number: Int) async throws {
        try await perform([
            .replace(path: "here", generation: 2 * number), .write(path: "there", generation: 2 * number),
        ])
        try await victim.sync()
        try await expectSame("edit \(number) of the device whose clock jumps")
        try await perform(
            [.write(path: "here", generation: 2 * number + 1), .replace(path: "there", generation: 2 * number + 1)],
            on: witness)
        try await witness.sync()
        try await expectSame("edit \(number) of the other device")
    }

    private func expectSame(_ what: String) async throws {
        try await eventually("\(what) is on both", within: .seconds(30)) {
            var (mine, other) = (ledger, ledger)
            let (shown, shownThere) = try await (look(victim), look(witness))
            return mine.settle(shown).isEmpty && other.settle(shownThere).isEmpty
        } describe: {
            "\(try await look(victim)) and \(try await look(witness))"
        }
    }
}

/// A daemon of the victim that takes its time from a file.
private struct SetClock {
    let bench: FaultBench
    let folder: String
    private var shift: String { "\(folder)/shift" }

    init(_ bench: FaultBench) throws {
        self.bench = bench
        folder = try bench.test.plain("clock")
        try set(0)
        let binaries = bench.victim.binaries
        try FileManager.default.copyItem(atPath: "\(binaries)/ubiquity", toPath: "\(folder)/ubiquity")
        let script = """
            #!/bin/bash
            export LD_PRELOAD=\(binaries)/libclock-shift.so CLOCK_SHIFT=\(shift)
            exec \(binaries)/ubiquityd "$@"
            """
        try script.write(toFile: "\(folder)/ubiquityd", atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/ubiquityd")
    }

    func start() async throws {
        try await bench.victim.start(standIn: DaemonStandIn(folder: folder, environment: [:]))
    }

    /// In place: the daemon has the file mapped.
    func set(_ seconds: Int) throws {
        let bytes = withUnsafeBytes(of: Int64(seconds)) { Data($0) }
        guard let file = FileHandle(forWritingAtPath: shift) else {
            return try bytes.write(to: URL(filePath: shift))
        }
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// Whether the daemon that runs takes its time from there.
    func takesItsTimeFromHere() async throws -> Bool {
        guard let pid = bench.victim.daemon.pid else { return false }
        return try await bench.victim.runner.run("grep", ["-q", "libclock-shift", "/proc/\(pid)/maps"], in: "/")
            .succeeded
    }
}
