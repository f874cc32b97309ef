import Foundation

/// A clock for a device's daemon that differs from the machine's by a number of seconds in a file.
package struct ShiftedClock: Sendable {
    private let device: TestDevice
    private let folder: String
    private var shift: String { "\(folder)/shift" }

    /// - Parameter folder: An empty folder for the clock's files.
    package init(of device: TestDevice, in folder: String) throws {
        self.device = device
        self.folder = folder
        try set(0)
        let binaries = device.binaries
        try FileManager.default.copyItem(atPath: "\(binaries)/ubiquity", toPath: "\(folder)/ubiquity")
        let script = """
            #!/bin/bash
            export LD_PRELOAD=\(binaries)/libclock-shift.so CLOCK_SHIFT=\(shift)
            exec \(binaries)/ubiquityd "$@"
            """
        try script.write(toFile: "\(folder)/ubiquityd", atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/ubiquityd")
    }

    /// Mounts the device; its daemon has this clock.
    package func start() async throws {
        try await device.start(standIn: DaemonStandIn(folder: folder, environment: [:]))
    }

    /// Writes the file in place, because the daemon has it mapped.
    package func set(_ seconds: Int) throws {
        let bytes = withUnsafeBytes(of: Int64(seconds)) { Data($0) }
        guard let file = FileHandle(forWritingAtPath: shift) else {
            return try bytes.write(to: URL(filePath: shift))
        }
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// Returns whether the running daemon takes its time from the file.
    package func isUsed() async throws -> Bool {
        guard let pid = device.daemon.pid else { return false }
        return try await device.runner.run("grep", ["-q", "libclock-shift", "/proc/\(pid)/maps"], in: "/").succeeded
    }
}
