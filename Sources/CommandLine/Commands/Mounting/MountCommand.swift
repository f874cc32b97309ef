import ArgumentParser
import Basics
import DaemonProtocol
import Glibc

/// `ubiquity mount`: checks the mount point, starts the daemon and waits until the mount responds.
struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mount your documents.",
        discussion: """
            Starts a daemon in the background and returns when the mount is ready. Without --cloud the cloud is a \
            directory in your XDG data home, shared by all your mounts. --cloud and --device are stored in the \
            state directory, so they are needed only once; so is --cache-limit. A missing DIR is created; one with files in it is refused.

            Defaults for --cloud, --device, --cache-limit, --minimum-free, --version-count and --version-days are read from \
            ~/.config/ubiquity/settings, a file with lines such as "minimum-free = 5G". After a line "[~/Family]" they are for \
            that mount only. The command line and what a mount remembers come first.
            """)

    @Argument(help: ArgumentHelp("Where to mount (default: ~/MobileDocuments).", valueName: "dir"))
    var directory: String?

    @Option(help: ArgumentHelp("The cloud: \(CloudKind.forms).", valueName: "url"))
    var cloud: String?

    @Option(
        help: ArgumentHelp("The account at the server of --cloud, if this device has several.", valueName: "name"))
    var account: String?

    @Option(
        help: ArgumentHelp(
            "The name of this device on others (default: that of the sign-in, or the host's).", valueName: "name"))
    var device: String?

    @Option(
        help: ArgumentHelp("Where this device keeps its state (default: in your XDG data home).", valueName: "dir"))
    var state: String?

    @Flag(help: "Run the daemon in the foreground, for a service manager or to see its log.")
    var foreground = false

    @Option(help: ArgumentHelp("How many bytes of documents to keep local, such as 20G.", valueName: "size"))
    var cacheLimit: String?

    @Option(help: ArgumentHelp("How much of the disk to leave free (default: 2 %, 1 GiB at most).", valueName: "size"))
    var minimumFree: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many superseded versions of a document to list (default: 10).", valueName: "n"))
    var versionCount: Int?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How many days to list them for (default: 30).", valueName: "n"))
    var versionDays: Int?

    @Option(
        help: ArgumentHelp("What the daemon logs from now on, as for `ubiquity log-level`.", valueName: "level"))
    var logLevel: String?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let mount: String
        let pid: Int32
        let state: String
    }

    func validate() throws {
        if let account, cloud.flatMap({ CloudAddress.server($0, account: account) }) == nil {
            throw ValidationError("--account goes with --cloud http(s)://HOST, which names no account itself")
        }
        for number in [versionCount, versionDays] {
            if let number, number < 0 { throw ValidationError("'\(number)' is negative") }
        }
        for size in [cacheLimit, minimumFree] {
            if let size, ByteCount(size) == nil {
                throw ValidationError("invalid size '\(size)'; use for example 500M or 20G")
            }
        }
        if let logLevel { try LogLevelCommand.check(logLevel) }
    }

    func run() throws {
        var leftovers = MountLeftovers()
        do { try mount(&leftovers) } catch {
            leftovers.remove()
            throw error
        }
    }

    private func mount(_ leftovers: inout MountLeftovers) throws {
        MountRegistry.standard.endDying()
        let mount = try MountPoint.prepare(directory, .current(), created: &leftovers.isMountPointNew)
        leftovers.mountPoint = mount
        // The table is read again, since a dead mount may have been removed above.
        let table = try MountLocator.current().table
        let defaults = try settings(mount)
        try MountNesting(mount: mount, table: table).refuse(
            state: stateDirectory(mount), cloud: cloud ?? defaults.cloud)
        let launcher = try DaemonLauncher(arguments: daemonArguments(mount), state: stateDirectory(mount))
        if foreground { try launcher.become() }
        leftovers.noteState(stateDirectory(mount))
        var display = LiveDisplay()
        let pid = try launcher.start { if Terminal.isInteractive { display.show([$0 + " …"]) } }
        display.clear()
        leftovers.keep()
        let record = try verify(mount, pid)
        if json {
            return print(
                try StatusJSON.text(Document(mount: record.mount, pid: record.pid, state: record.state)))
        }
        print("Mounted \(record.mount) (daemon \(record.pid), state in \(record.state)).")
    }

    /// Reads the settings file here, too, to refuse a mistake in it before anything is started.
    private func settings(_ mount: String) throws(CommandFailure) -> MountSettings {
        do throws(DaemonFailure) { return try MountSettings.load(for: mount, .current) } catch {
            throw CommandFailure(error)
        }
    }

    /// The cloud with the account.
    private var address: String? {
        guard let cloud, let account else { return cloud }
        return CloudAddress.server(cloud, account: account)
    }

    private func stateDirectory(_ mount: String) -> String {
        guard let state else { return StandardPaths.current.stateDirectory(forMount: mount) }
        return absolute(state)
    }

    private func daemonArguments(_ mount: String) -> [String] {
        var arguments = ["--mount", mount, "--state", stateDirectory(mount)]
        for (name, value) in [
            ("--cloud", address), ("--device", device), ("--cache-limit", cacheLimit), ("--minimum-free", minimumFree),
            ("--version-count", versionCount.map { String($0) }), ("--version-days", versionDays.map { String($0) }),
            ("--log-level", logLevel),
        ] {
            if let value { arguments += [name, value] }
        }
        return foreground ? arguments + ["--foreground"] : arguments
    }

    /// Verifies that the daemon's socket and the mount itself respond, besides the daemon's own report.
    private func verify(_ mount: String, _ pid: pid_t) throws(CommandFailure) -> MountRecord {
        guard let record = MountRegistry.standard.records().first(where: { $0.mount == mount && $0.pid == pid }) else {
            throw CommandFailure(
                .failed, "the daemon (pid \(pid)) started but is not in the registry of mounts", path: mount,
                advice: "Check that $XDG_RUNTIME_DIR is writable.")
        }
        _ = try DaemonConnection.open(record)
        guard bounded(within: .seconds(15), { MountPoint.isMounted(mount) }) == true else {
            throw CommandFailure(
                .notAnswering, "the daemon (pid \(pid)) started but the mount does not answer", path: mount,
                advice: "\"ubiquity unmount \(mount)\" ends it; see \(record.state)/daemon.log.")
        }
        return record
    }
}

/// Returns a path of the command line as an absolute path without `.` and `..`.
func absolute(_ path: String) -> String {
    let locator = MountLocator(
        records: [], table: UbiquityMounts(mountPoints: []), currentDirectory: workingDirectory(),
        resolve: { _ in nil },
        probe: { _ in .living })
    return String(decoding: locator.absolutePath(rawArgument(path)), as: UTF8.self)
}
