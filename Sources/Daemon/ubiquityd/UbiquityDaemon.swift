import ArgumentParser
import Basics
import CloudAccess
import DaemonCore
import DaemonProtocol
import Fuse
import Glibc
import Logging
import Mount

/// `ubiquityd`: reads its options and runs the daemon. Stays in the foreground; `ubiquity mount` starts it in the background.
@main
struct UbiquityDaemon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ubiquityd",
        abstract: "Serves one mount of the document store.",
        discussion:
            "Usually started by `ubiquity mount`. SIGTERM, SIGINT, SIGQUIT and SIGHUP shut it down cleanly; pending changes are kept.",
        version: ProgramVersion.current)

    @Option(help: ArgumentHelp("Where to mount.", valueName: "dir"))
    var mount: String

    @Option(help: ArgumentHelp("The cloud: \(CloudKind.forms).", valueName: "url"))
    var cloud: String?

    @Option(
        help: ArgumentHelp(
            "The name of this device on others (default: that of the sign-in, or the host's).", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("Where this device keeps its state.", valueName: "dir"))
    var state: String?

    @Flag(help: "Run for a terminal or a service manager.")
    var foreground = false

    @Option(
        help: ArgumentHelp("How many bytes of documents to keep local, such as 20G.", valueName: "size"),
        transform: size)
    var cacheLimit: ByteCount?

    @Option(
        help: ArgumentHelp("How much of the disk to leave free (default: 2 %, 1 GiB at most).", valueName: "size"),
        transform: size)
    var minimumFree: ByteCount?

    @Option(help: ArgumentHelp("How many superseded versions of a document to list (default: 10).", valueName: "n"))
    var versionCount: Int?

    @Option(help: ArgumentHelp("How many days to list them for (default: 30).", valueName: "n"))
    var versionDays: Int?

    @Option(
        help: ArgumentHelp(
            "What to log from now on: \(LogLevels.syntax) (default: $UBIQUITY_LOG, or as before).", valueName: "level"),
        transform: levels)
    var logLevel: LogLevels?

    @Flag(help: ArgumentHelp("Rebuild the state from the cloud first.", visibility: .private))
    var reset = false

    @Option(help: ArgumentHelp("The cloud to move to first.", valueName: "url", visibility: .private))
    var moveTo: String?

    @Option(
        help: ArgumentHelp("The file descriptor to report readiness on.", valueName: "number", visibility: .private))
    var readyFd: Int32?

    @Option(help: ArgumentHelp("How many times in a row it has crashed.", valueName: "n", visibility: .private))
    var crashes: Int = 0

    static func main() async {
        // Files of this process belong to its user alone. The kernel's requests have the modes of documents.
        umask(0o077)
        CoreFiles.forbid()
        InheritedDescriptors.completeStandard()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if WatchdogProgram.isMeant(by: arguments) { return WatchdogProgram.run(arguments) }
        if AnnouncerProgram.isMeant(by: arguments) { return AnnouncerProgram.run(arguments) }
        if DatabasesProgram.isMeant(by: arguments) { return DatabasesProgram.run(arguments) }
        if SignInProgram.isMeant(by: arguments) { return await SignInProgram.main(arguments) }
        if CopyCloudProgram.isMeant(by: arguments) { return await CopyCloudProgram.main(arguments) }
        await main(arguments)
    }

    func run() async throws {
        InheritedDescriptors.closeOthers(but: readyFd)
        let readiness = ReadinessPipe(descriptor: readyFd)
        do {
            try await serve(readiness)
        } catch {
            let failure = error as? DaemonFailure ?? DaemonFailure(.failed, "the daemon failed: \(error)")
            readiness.failed(failure)
            _ = "ubiquityd: \(failure)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
            throw ExitCode.failure
        }
    }

    private func serve(_ readiness: ReadinessPipe) async throws {
        let wanted = getenv("UBIQUITY_LOG").map { String(cString: $0) }
        let log = LogControl(environment: wanted)
        LoggingSystem.bootstrap { log.handler(StreamLogHandler.standardError(label: $0)) }
        let surroundings = DaemonSurroundings(
            paths: .current, currentDirectory: currentDirectory(), hostName: hostName(),
            signedInName: { ServerAccess.record(at: $0)?.deviceName })
        let settings = try DaemonSettings.load(from: "\(options.stateDirectory(in: surroundings))/settings.json")
        let defaults = try MountSettings.load(for: surroundings.absolute(mount), surroundings.paths)
        var configuration = try options.resolve(settings: settings, defaults: defaults, in: surroundings)
        configuration.crashes = crashes
        var later = configuration
        // The state keeps the levels of the log, which may change until then.
        later.logLevels = nil
        configuration.commandAfterCrash =
            [CommandLine.arguments.first ?? "ubiquityd"] + later.arguments + ["--crashes"]
        // Otherwise the daemon would keep the file system of its start directory busy.
        _ = chdir("/")
        let logger = Logger(label: "ubiquityd")
        if let wanted, LogLevels(wanted) == nil {
            logger.warning("UBIQUITY_LOG is ignored: use \(LogLevels.syntax)", metadata: ["value": "\(wanted)"])
        }
        guard
            let next = try await Daemon.run(configuration, readiness: readiness, logger: logger, log: log)
        else { return }
        try startAgain(next + log.arguments, configuration.mountPoint)
    }

    /// Executes this program again in the same process, with different arguments: the process id stays the same, so its
    /// supervisor does not notice an end.
    private func startAgain(_ arguments: [String], _ mountPoint: String) throws -> Never {
        var pointers = ([CommandLine.arguments.first ?? "ubiquityd"] + arguments).map { strdup($0) } + [nil]
        InheritedDescriptors.closeOthersOnExec()
        execv("/proc/self/exe", &pointers)
        throw DaemonFailure(
            .failed, "the daemon could not restart (\(Errno(errno, "execv")))", path: mountPoint,
            advice: "Mount it with: ubiquity mount \(mountPoint). Then repeat the command.")
    }

    private var options: DaemonOptions {
        var options = DaemonOptions(mount: mount)
        options.cloud = cloud
        options.device = device
        options.state = state
        options.cacheLimit = cacheLimit
        options.minimumFree = minimumFree
        options.versionCount = versionCount
        options.versionDays = versionDays
        options.logLevels = logLevel
        options.isForeground = foreground
        options.resets = reset
        options.movesTo = moveTo
        return options
    }
}

private func size(_ text: String) throws -> ByteCount {
    guard let count = ByteCount(text) else { throw ValidationError("'\(text)' is not a size such as 500M or 20G") }
    return count
}

private func levels(_ text: String) throws -> LogLevels {
    guard let levels = LogLevels(text) else {
        throw ValidationError("'\(text)' is not a log level: use \(LogLevels.syntax)")
    }
    return levels
}

func currentDirectory() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard let path = getcwd(&buffer, buffer.count) else { return "/" }
    return String(cString: path)
}

private func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    let name = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
    // The first label is the usual name of the machine.
    return name.split(separator: ".").first.map(String.init) ?? "device"
}
