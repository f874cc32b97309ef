import Basics
import CallHandlers
import CloudModel
import DaemonProtocol
import Fuse
import Glibc
import LocalMetadata
package import Logging
import Mount
import Synchronization
import UnixSignals
import VirtualFileSystem

/// The daemon: composes the parts of a device and runs them until it is stopped.
package enum Daemon {
    /// Runs until SIGTERM, SIGINT, SIGQUIT, SIGHUP, a `stop` request or the end of the mount.
    ///
    /// - Parameters:
    ///   - readiness: Reports the progress of the start, and that requests are served.
    ///   - log: The levels of `logger`, changeable by request.
    /// - Returns: The arguments for starting the daemon again; nil if it ends.
    /// - Throws: The reason why it cannot start, or cannot close its state.
    package static func run(
        _ configuration: DaemonConfiguration, readiness: ReadinessPipe, logger: Logger, log: LogControl
    ) async throws -> [String]? {
        var configuration = configuration
        try raiseLimits(configuration)
        ignoreSignals()
        CrashGuard.install()
        if configuration.crashes > 0 {
            let pause = CrashGuard.pause(before: configuration.crashes)
            logger.error(
                "restarted after a crash; the lines above say what it was doing",
                metadata: ["crashes": "\(configuration.crashes)", "pause": "\(pause)"])
            // No command waits for this start: the next crash is handled in the same way.
            outliveCrashes(configuration)
            try await Task.sleep(for: pause)
        }
        log.bound(LogFile("\(configuration.stateDirectory)/daemon.log"))
        MountRegistry.standard.endDying()
        let lock = try StateLock.acquire(stateDirectory: configuration.stateDirectory)
        let former = try DaemonSettings.load(from: configuration.settingsFile)?.cloud
        let failure = await finishMove(&configuration, logger)
        let (device, rebuild) = try await StateOpening(
            configuration: configuration, readiness: readiness, logger: logger
        ).open()
        do {
            try await CloudAdmission(configuration: configuration, former: former, logger: logger).check(
                device.metadata)
            try configuration.save()
            try log.follow(configuration.logLevels, keptIn: device.metadata)
        } catch {
            // The first error is reported; the state is as it was.
            try? device.close()
            throw error
        }
        let running = RunningDaemon(device, configuration, rebuild: rebuild, logger: logger, log: log)
        if let failure { running.found(failure) }
        try await running.run(readiness)
        if let failure = device.metadata.syncFailure {
            // Closing would keep data possibly lost by the kernel. The next start recovers the state, as after a crash.
            throw DaemonFailure(failure, path: configuration.stateDirectory)
        }
        try device.close()
        logger.notice("stopped")
        _ = consume lock
        return running.nextStart.map { configuration.arguments + $0 }
    }

    /// Ends a move to a new cloud: copies the old cloud's new data, as this device no longer changes it, and uses the
    /// new cloud from then on. The start remembers its address.
    ///
    /// - Returns: Why the device stays with its cloud.
    private static func finishMove(_ configuration: inout DaemonConfiguration, _ logger: Logger) async -> DaemonFailure?
    {
        guard let target = configuration.movesTo else { return nil }
        configuration.movesTo = nil
        do throws(DaemonFailure) {
            try await CloudCopying.finishMove(from: configuration.cloud, to: target, logger)
            configuration.use(target)
            logger.notice("moved to another cloud", metadata: ["cloud": "\(target)"])
            return nil
        } catch {
            logger.error("the move to another cloud failed", metadata: ["cloud": "\(target)", "why": "\(error)"])
            return DaemonFailure(
                error.code, "the move to this cloud failed: \(error.message)", path: target.description,
                advice: error.advice)
        }
    }

    /// Restarts the daemon after a later crash. A start with a waiting command is not repeated.
    static func outliveCrashes(_ configuration: DaemonConfiguration) {
        // The runtime prints backtraces by default; only a user enabling them explicitly prefers them to a working
        // mount.
        let wantsBacktrace = getenv("SWIFT_BACKTRACE").map { String(cString: $0).contains("enable=yes") } ?? false
        guard let command = configuration.commandAfterCrash, !wantsBacktrace else { return }
        CrashGuard.startAgain(arguments: command, crashes: configuration.crashes)
    }

    /// How many descriptors root gives itself; /proc/sys/fs/nr_open is at least as high unless it was lowered.
    private static let descriptorsOfRoot: rlim_t = 1 << 20

    /// Raises the inherited limits as far as possible: every open file takes one or two descriptors, possibly more than
    /// the usual soft limit, and none of the limits was meant for this process.
    private static func raiseLimits(_ configuration: DaemonConfiguration) throws(DaemonFailure) {
        ProcessLimits.raise()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        if geteuid() == 0, limit.rlim_max < descriptorsOfRoot {
            var raised = rlimit(rlim_cur: descriptorsOfRoot, rlim_max: descriptorsOfRoot)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        _ = setrlimit(resource, &limit)
        guard DescriptorReserve.limit >= DescriptorReserve.lowestLimit else {
            throw DaemonFailure(
                .failed, "the limit of open files is \(DescriptorReserve.limit), which is too low for a mount",
                path: configuration.mountPoint,
                advice: "Raise it to at least \(DescriptorReserve.lowestLimit): `ulimit -n`.")
        }
    }

    /// Ignores fatal signals that no process sends to a daemon on purpose: the mount would be dead.
    private static func ignoreSignals() {
        for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR] {
            signal(number, SIG_IGN)
        }
    }
}

extension DaemonConfiguration {
    fileprivate func save() throws {
        do { try DaemonSettings(self).save(to: settingsFile) } catch {
            throw DaemonFailure(
                .permissionDenied, "the settings cannot be written (\(error))", path: settingsFile,
                advice: "Choose another directory with --state, or free some space on that disk.")
        }
    }
}

extension DaemonFailure {
    init(_ error: FuseError, path: String) {
        self.init(.mountPoint, sentences: error.message, path: path)
    }
}
