import Basics
import CloudModel
import DaemonProtocol
import Fuse
import Glibc
import LocalMetadata
package import Logging
import Mount
import Synchronization
import UnixSignals

/// The daemon: composes the parts of a device and runs them until it is to stop.
package enum Daemon {
    /// Runs until SIGTERM, SIGINT, a `stop` request or the end of the mount. Reports through `readiness` once it answers; throws what
    /// kept it from that. Returns whether it is to be started again with a reset of its state.
    package static func run(
        _ configuration: DaemonConfiguration, readiness: ReadinessPipe, logger: Logger
    ) async throws -> Bool {
        raiseDescriptorLimit()
        CrashGuard.install()
        if configuration.crashes > 0 {
            let pause = CrashGuard.pause(before: configuration.crashes)
            logger.error(
                "started again after a crash; see above for what it did",
                metadata: ["crashes": "\(configuration.crashes)", "pause": "\(pause)"])
            // No command waits for this start: the next crash is handled in the same way.
            outliveCrashes(configuration)
            try await Task.sleep(for: pause)
        }
        let lock = try StateLock.acquire(stateDirectory: configuration.stateDirectory)
        try configuration.save()
        let (device, rebuild) = try await StateOpening(
            configuration: configuration, readiness: readiness, logger: logger
        ).open()
        let running = RunningDaemon(device, configuration, rebuild: rebuild, logger: logger)
        try await running.run(readiness)
        if let failure = device.metadata.syncFailure {
            // Closing would carry over what the kernel may have forgotten. The next start looks after it, as after a death.
            throw DaemonFailure(failure, path: configuration.stateDirectory)
        }
        try device.close()
        logger.notice("stopped")
        _ = consume lock
        return running.resetsNext
    }

    /// A start that a command waits for is not repeated; a daemon that crashes later is.
    static func outliveCrashes(_ configuration: DaemonConfiguration) {
        // The runtime prints backtraces by default; only a user who asks for them wants them more than the mount.
        let wantsBacktrace = getenv("SWIFT_BACKTRACE").map { String(cString: $0).contains("enable=yes") } ?? false
        guard let command = configuration.commandAfterCrash, !wantsBacktrace else { return }
        CrashGuard.startAgain(arguments: command, crashes: configuration.crashes)
    }

    /// Every open file takes a descriptor or two; more than the usual soft limit allows is asked for, less is lived with.
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
                .permissionDenied, "the settings can not be written (\(error))", path: settingsFile,
                advice: "Choose another directory with --state, or make room on that disk.")
        }
    }
}

extension DaemonFailure {
    init(_ error: MetadataError, path: String) {
        let code: Code =
            switch error.code {
            case .damaged: .damaged
            case .tooNew: .versionMismatch
            case .noSpace: .diskFull
            case .notDurable, .unusable: .failed
            }
        self.init(code, sentences: error.message, path: path)
    }

    init(_ error: FuseError, path: String) {
        self.init(.mountPoint, sentences: error.message, path: path)
    }
}
