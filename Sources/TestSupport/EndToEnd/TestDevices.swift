import Foundation
import Glibc

/// Devices with real daemons and mounts sharing a cloud, in a separate directory.
package struct TestDevices: Sendable {
    /// The test's own directory, on an ordinary file system.
    package let root: String
    package let cloud: TestCloud
    package let devices: [TestDevice]
    /// Runs programs without the user's settings.
    package let runner: ProgramRunner

    /// Mounts two devices, runs `body` and removes everything again.
    package static func withTwo(
        _ body: (_ cloud: TestCloud, _ a: TestDevice, _ b: TestDevice) async throws -> Void
    ) async throws {
        try await with(devices: ["A", "B"]) { test in try await body(test.cloud, test.devices[0], test.devices[1]) }
    }

    /// Mounts devices of these names, runs `body` and removes everything again, the last device first. The daemons' logs are added to an
    /// error.
    ///
    /// - Parameters:
    ///   - cloud: The URL of a cloud elsewhere; without it the devices share a directory.
    ///   - prepare: Runs before the first mount.
    package static func with(
        devices names: [String], cloud: String? = nil, prepare: (TestDevices) async throws -> Void = { _ in },
        _ body: (TestDevices) async throws -> Void
    ) async throws {
        let test = try TestDevices(names, cloud: cloud)
        do {
            try await prepare(test)
            for device in test.devices { try await device.start() }
            try await body(test)
        } catch {
            let logs = test.devices.map { "--- log of device \($0.name)\n\($0.log)" }
            try? await test.close()  // The first error is the one to report.
            throw EndToEndError((["\(error)"] + logs).joined(separator: "\n"))
        }
        try await test.close()
    }

    private init(_ names: [String], cloud url: String?) throws {
        root = try ScratchFolder.create("ubq")
        cloud = TestCloud(directory: "\(root)/cloud", url: url)
        let environment = try Self.environment(root)
        let binaries = try Self.binaries()
        let all = DaemonList()
        runner = ProgramRunner(environment: environment) { all.kill() }
        devices = names.map { [root, cloud] in
            TestDevice(name: $0, root: root, cloud: cloud, binaries: binaries, environment: environment, all: all)
        }
    }

    /// Returns an environment without the user's settings of editors and git, and without the user's daemons.
    private static func environment(_ root: String) throws -> [String: String] {
        let home = "\(root)/home"
        let runtime = "\(root)/run"
        for directory in [home, runtime] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        return [
            "HOME": home, "XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": "\(home)/.local/state",
            "XDG_DATA_HOME": "\(home)/.local/share", "XDG_CONFIG_HOME": "\(home)/.config",
            "XDG_CACHE_HOME": "\(home)/.cache", "UBIQUITY_SCOPE": root, "LC_ALL": "C.UTF-8",
            "TZ": "UTC", "TERM": "xterm", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Test",
            // A daemon with backtraces enabled does not restart itself after a crash, which would hide a failure.
            "SWIFT_BACKTRACE": "enable=yes",
            "GIT_AUTHOR_EMAIL": "test@example.com", "GIT_COMMITTER_NAME": "Test",
            "GIT_COMMITTER_EMAIL": "test@example.com",
        ]
    }

    /// Returns the folder of the programs, built beside the tests.
    package static func binaries() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().path
    }

    private func close() async throws {
        var failures: [String] = []
        for device in devices.reversed() {
            do { try await device.close() } catch { failures.append("\(error)") }
        }
        guard failures.isEmpty else { throw EndToEndError(failures.joined(separator: "\n")) }
        try FileManager.default.removeItem(atPath: root)
    }

    // MARK: Plain directories

    /// Creates an empty directory beside the mounts, on the same disk.
    package func plain(_ name: String = "plain") throws -> String {
        let path = "\(root)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
