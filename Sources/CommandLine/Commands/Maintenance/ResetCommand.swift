import ArgumentParser
import DaemonProtocol
import Glibc

/// `ubiquity reset`: rebuilds this device's state from the cloud.
struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Rebuild this device's state from the cloud.",
        discussion: """
            For a device that is stuck or damaged. No edit is lost: edits that are not in the cloud are uploaded first; those that \
            cannot be uploaded appear in CloudDocs/Documents/Recovered. All other documents are placeholders afterwards and are \
            downloaded when they are opened; pins are lost. The old database is kept in the folder set-aside of the state directory. \
            The mount is unavailable meanwhile. If no daemon is running, name the mount point.
            """)

    @Argument(help: "The mount, or any path in it; needed when there are several.", completion: .directory)
    var path: String?

    @Option(help: ArgumentHelp("The state directory, if no daemon runs on it.", valueName: "dir"))
    var state: String?

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        let locator = try MountLocator.current()
        let target: MountRecord
        do throws(CommandFailure) {
            target = try record(locator)
        } catch {
            guard error.status == .notMounted, path != nil || state != nil else { throw error }
            return try resetWithoutDaemon()
        }
        try confirm(target.mount)
        try report(try DaemonRestart(target).reset(), target.mount)
    }

    private func record(_ locator: MountLocator) throws(CommandFailure) -> MountRecord {
        do { return try MountSelection.single(path, locator) } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.refused, "\(error)")
        }
    }

    private func confirm(_ mount: String) throws {
        guard yes || Terminal.confirms("Rebuild the state of \(mount) from the cloud? No edit is lost.") else {
            throw CommandFailure(.refused, "reset cancelled", path: mount, advice: "Use --yes to skip the question.")
        }
    }

    private func resetWithoutDaemon() throws {
        var isNew = false
        let mount = try MountPoint.prepare(path, .current(), created: &isNew)
        try confirm(mount)
        let directory = state.map(absolute) ?? StandardPaths.current.stateDirectory(forMount: mount)
        guard access(directory, F_OK) == 0 else {
            throw CommandFailure(
                .notMounted, "there is no device state", path: directory, advice: "Name it with --state.")
        }
        let launcher = try DaemonLauncher(
            arguments: ["--mount", mount, "--state", directory, "--reset"], state: directory)
        var display = LiveDisplay()
        let pid = try launcher.start(noting: false) { if Terminal.isInteractive { display.show([$0 + " …"]) } }
        display.clear()
        guard let record = MountRegistry.standard.records().first(where: { $0.mount == mount && $0.pid == pid }) else {
            throw CommandFailure(.failed, "the daemon (pid \(pid)) started but is not registered", path: mount)
        }
        try report(try DaemonRestart(record).status().rebuild, mount)
    }

    private func report(_ rebuild: RebuildStatus?, _ mount: String) throws {
        guard let rebuild else {
            throw CommandFailure(
                .failed, "the daemon restarted without a reset", path: mount,
                advice: "Restart it: it may be of another release.")
        }
        print(json ? try StatusJSON.text(ResetOutcome(mount: mount, rebuild: rebuild)) : "\(mount): \(rebuild.summary)")
    }
}

/// The output of `ubiquity reset --json`.
struct ResetOutcome: Encodable {
    var format = 1
    let mount: String
    let rebuild: RebuildStatus
}
