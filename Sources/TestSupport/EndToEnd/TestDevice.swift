import Foundation
import Glibc

/// An installation: a real daemon with its own mount and state.
package struct TestDevice: Sendable {
    package let name: String
    /// The absolute path where the device's documents are mounted.
    package let mount: String
    package let state: String
    package let daemon = DaemonProcess()
    private let cloud: TestCloud
    /// The build folder of the programs.
    package let binaries: String
    package let runner: ProgramRunner

    /// The tests' working folder: the `Documents` of the container that always exists.
    package var documents: String { "\(mount)/CloudDocs/Documents" }
    private var logFile: String { "\(state)/daemon.log" }

    init(name: String, root: String, cloud: TestCloud, binaries: String, environment: [String: String], all: DaemonList)
    {
        self.name = name
        mount = "\(root)/\(name)/mount"
        state = "\(root)/\(name)/state"
        self.cloud = cloud
        self.binaries = binaries
        runner = ProgramRunner(environment: environment) { all.kill() }
        all.add(daemon)
    }

    // MARK: Life of the daemon

    /// Mounts like a user, and returns once the command reports readiness. Throws if mounting fails.
    ///
    /// - Parameter standIn: The program to start in place of the daemon's program, which it then becomes.
    package func start(_ options: [String] = [], standIn: DaemonStandIn? = nil) async throws {
        // A dead mount cannot be examined, so creating its folder would fail.
        if !isMounted() {
            try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        }
        let runner = standIn.map { self.runner.adding($0.environment) } ?? self.runner
        let output = try await runner.run(
            "\(standIn?.folder ?? binaries)/ubiquity",
            ["mount", mount, "--state", state, "--device", name, "--cloud", cloud.url] + options, in: "/"
        ).text()
        guard let match = output.firstMatch(of: /daemon (\d+)/), let pid = Int32(match.1) else {
            throw EndToEndError("mount does not name its daemon: \(output)")
        }
        daemon.set(pid)
    }

    /// Unmounts the device in order.
    package func stop() async throws {
        try await ubiquity(["unmount", mount]).text()
        daemon.set(nil)
    }

    /// Kills the daemon, as a crash would; the dead mount stays.
    package func kill9() async throws {
        try await eventually("the daemon of \(name) is gone") {
            // Each time: while the daemon replaces its program, /proc does not name any, and the signal is not sent.
            daemon.send(SIGKILL)
            return !daemon.isRunning && daemon.isGone
        }
    }

    package func restart(_ options: [String] = []) async throws {
        if daemon.isRunning { try await stop() }
        try await start(options)
    }

    /// Stops all threads of the daemon until ``thaw()``.
    package func freeze() { daemon.send(SIGSTOP) }

    package func thaw() { daemon.send(SIGCONT) }

    /// Removes the mount and the daemon, regardless of their state.
    func close() async throws {
        thaw()
        _ = try? await ubiquity(["unmount", mount], limit: .seconds(30))  // What is left is removed below.
        daemon.send(SIGKILL)
        while isMounted() { guard umount2(mount, Int32(MNT_DETACH)) == 0 else { break } }
        guard !isMounted() else { throw EndToEndError("the mount of \(name) cannot be removed: \(mount)") }
    }

    package func isMounted() -> Bool {
        let table = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
        return table.contains(" \(mount) ")
    }

    /// The part of the daemon's log to show after a failure: the crash if there was one, otherwise the last lines.
    var log: String {
        let text = (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "(none)"
        let lines = text.split(separator: "\n")
        let crash = lines.firstIndex { $0.contains("Fatal error") || $0.contains("Program crashed") }
        return (crash.map { lines[$0...].prefix(80) } ?? lines.suffix(60)).joined(separator: "\n")
    }

    // MARK: Programs

    @discardableResult
    package func ubiquity(
        _ arguments: [String], limit: Duration = ProgramRunner.defaultLimit
    ) async throws -> ProgramOutcome {
        try await runner.run("\(binaries)/ubiquity", arguments, in: "/", limit: limit)
    }

    /// Runs a program in the documents folder.
    @discardableResult
    package func run(
        _ program: String, _ arguments: String..., limit: Duration = ProgramRunner.defaultLimit
    ) async throws -> ProgramOutcome {
        try await runner.run(program, arguments, in: documents, limit: limit)
    }

    /// Runs a shell script in the documents folder up to its first failing command, and returns its output.
    @discardableResult
    package func shell(_ script: String, limit: Duration = ProgramRunner.defaultLimit) async throws -> String {
        try await runner.run("bash", ["-euo", "pipefail", "-c", script], in: documents, limit: limit).text()
    }

    /// Like ``shell(_:limit:)``, but returns how the script ended instead of throwing.
    package func tryShell(
        _ script: String, limit: Duration = ProgramRunner.defaultLimit
    ) async throws -> ProgramOutcome {
        try await runner.run("bash", ["-euo", "pipefail", "-c", script], in: documents, limit: limit)
    }
}

extension TestDevice {
    /// Records the daemon started by a `mount`.
    package func adopt(_ outcome: ProgramOutcome) throws {
        guard let match = try outcome.text().firstMatch(of: /daemon (\d+)/), let pid = Int32(match.1) else {
            throw EndToEndError("mount does not name its daemon: \(outcome)")
        }
        daemon.set(pid)
    }
}

extension TestDevice {
    /// Returns the command line for a shell, for arguments that need no quotes.
    package func command(_ arguments: [String]) -> String {
        (["\(binaries)/ubiquity"] + arguments).joined(separator: " ")
    }
}
