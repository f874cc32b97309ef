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

/// The daemon: composes the parts of a device and runs them until it is stopped.
package enum Daemon {
    /// Runs until SIGTERM, SIGINT, a `stop` request or the end of the mount.
    ///
    /// - Parameters:
    ///   - readiness: Reports the progress of the start, and that requests are served.
    ///   - logLevel: The level of `logger`, which a request may change.
    /// - Returns: Whether the daemon has to be started again with a reset of its state.
    /// - Throws: The reason why it cannot start, or cannot close its state.
    package static func run(
        _ configuration: DaemonConfiguration, readiness: ReadinessPipe, logger: Logger, logLevel: LogLevel
    ) async throws -> Bool {
        raiseDescriptorLimit()
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
        let lock = try StateLock.acquire(stateDirectory: configuration.stateDirectory)
        let former = try DaemonSettings.load(from: configuration.settingsFile)?.cloud
        let (device, rebuild) = try await StateOpening(
            configuration: configuration, readiness: readiness, logger: logger
        ).open()
        do {
            try await CloudAdmission(configuration: configuration, former: former, logger: logger).check(
                device.metadata)
            try configuration.save()
        } catch {
            // The error is the one to report; the state is as it was.
            try? device.close()
            throw error
        }
        let running = RunningDaemon(device, configuration, rebuild: rebuild, logger: logger, logLevel: logLevel)
        try await running.run(readiness)
        if let failure = device.metadata.syncFailure {
            // Closing would keep what the kernel may have lost. The next start recovers the state, as after a crash.
            throw DaemonFailure(failure, path: configuration.stateDirectory)
        }
        try device.close()
        logger.notice("stopped")
        _ = consume lock
        return running.resetsNext
    }

    /// Restarts the daemon after a later crash. A start that a command waits for is not repeated.
    static func outliveCrashes(_ configuration: DaemonConfiguration) {
        // The runtime prints backtraces by default; only a user who enables them explicitly prefers them to a working mount.
        let wantsBacktrace = getenv("SWIFT_BACKTRACE").map { String(cString: $0).contains("enable=yes") } ?? false
        guard let command = configuration.commandAfterCrash, !wantsBacktrace else { return }
        CrashGuard.startAgain(arguments: command, crashes: configuration.crashes)
    }

    /// Raises the limit of descriptors as far as possible: every open file takes one or two, which may exceed the usual soft limit.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
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
