import Foundation
import TestSupport

/// Runs the victim's daemon with a clock that is shifted by a number of seconds in a file.
struct SetClock {
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

    /// Writes the file in place, because the daemon has it mapped.
    func set(_ seconds: Int) throws {
        let bytes = withUnsafeBytes(of: Int64(seconds)) { Data($0) }
        guard let file = FileHandle(forWritingAtPath: shift) else {
            return try bytes.write(to: URL(filePath: shift))
        }
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// Returns whether the running daemon takes its time from the file.
    func takesItsTimeFromHere() async throws -> Bool {
        guard let pid = bench.victim.daemon.pid else { return false }
        return try await bench.victim.runner.run("grep", ["-q", "libclock-shift", "/proc/\(pid)/maps"], in: "/")
            .succeeded
    }
}
