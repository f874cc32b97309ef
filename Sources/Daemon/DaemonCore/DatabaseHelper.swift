import Basics
import CallHandlers
import DaemonProtocol
import Glibc
import Logging
import Sync
import Synchronization

/// Runs the process for shared databases: from the start of a device with any, or from the first request about them,
/// until the mount ends. Restarts it if it ends.
final class DatabaseHelper: DatabaseCalls {
    /// The shortest time between two signals of changed files.
    private static let interval: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(60)
    /// After this lifetime, a process did not end because of its initial state.
    private static let goodLife: Duration = .seconds(60)
    /// How long the end waits for the process.
    private static let patience: Duration = .seconds(3)
    /// How long the last problems read are shown, and how long reading them may take.
    private static let freshness: Duration = .seconds(1)
    private static let glance: Duration = .milliseconds(500)

    private struct State {
        var process: HelperProcess?
        var startedAt: ContinuousClock.Instant?
        /// Whether a process should run: the device has shared files, or a request was about them.
        var isWanted = false
        var isStopped = false
        var problems: (failures: [DaemonFailure], time: ContinuousClock.Instant)?
    }

    private let configuration: DaemonConfiguration
    /// Rung when rows of the tree change, and when the process ends.
    private let changes: Wakeup
    /// Rung when a process is wanted. Until then changes of the tree wake no task.
    private let wanted = Wakeup()
    private let log: Logger
    private let state = Mutex(State())

    init(_ configuration: DaemonConfiguration, changes: Wakeup, log: Logger) {
        self.configuration = configuration
        self.changes = changes
        self.log = log
    }

    // MARK: Calls

    func perform<Call: DaemonCall>(_ call: Call, within limit: Duration) async throws -> Call.Response {
        let process = try running()
        // A newly started process is noticed by the loop.
        changes.ring()
        return try await Self.perform(call, in: process, within: limit)
    }

    private static func perform<Call: DaemonCall>(
        _ call: Call, in process: HelperProcess, within limit: Duration
    ) async throws -> Call.Response {
        try await withThrowingTaskGroup(of: Call.Response?.self) { group in
            group.addTask { try await process.call(call) }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let response = first else {
                throw DaemonFailure(
                    .timedOut, "the database's file or its disk does not respond in time",
                    advice: "The work continues; `ubiquity database status` shows its result.")
            }
            return response
        }
    }

    func problems() async -> [DaemonFailure] {
        let present = state.withLock { $0 }
        guard present.isWanted, !present.isStopped else { return [] }
        guard let process = present.process, !process.hasEnded else {
            let what = "the process that keeps shared databases has ended"
            return [DaemonFailure(.failed, what, advice: "It is started again by itself; the daemon's log says why.")]
        }
        if let known = present.problems, .now - known.time < Self.freshness { return known.failures }
        var failures = present.problems?.failures ?? []
        do {
            let found = try await Self.perform(DatabasesRequest(isBrief: true), in: process, within: Self.glance)
            failures = found.databases.flatMap(\.failures)
        } catch let failure as DaemonFailure where [.damaged, .versionMismatch].contains(failure.code) {
            // The list of files cannot be read.
            failures = [failure]
        } catch {
            // A busy process keeps its previous problems.
        }
        let shown = failures
        state.withLock { $0.problems = (shown, .now) }
        return shown
    }

    private func running() throws -> HelperProcess {
        try state.withLock { state in
            state.isWanted = true
            wanted.ring()
            if let process = state.process, !process.hasEnded { return process }
            guard !state.isStopped else { throw DaemonFailure(.cancelled, "the mount is ending") }
            let arguments = [
                "databases", configuration.stateDirectory, configuration.mountPoint, configuration.deviceName,
            ]
            do {
                let process = try HelperProcess(arguments) { [changes] in changes.ring() }
                state.process = process
                state.startedAt = .now
                return process
            } catch {
                throw DaemonFailure(.failed, "the process that keeps shared databases cannot be started (\(error))")
            }
        }
    }

    // MARK: Life

    /// Signals changes to the process, and restarts it, until the task is cancelled.
    func run() async {
        if access("\(configuration.stateDirectory)/databases.json", F_OK) == 0 { start() }
        let clock = ContinuousClock()
        var failures = 0
        while !Task.isCancelled {
            guard state.withLock({ $0.isWanted }) else {
                await wanted.wait(atMost: .seconds(3_600), clock: clock)
                continue
            }
            await changes.wait(atMost: .seconds(3_600), clock: clock)
            let present = state.withLock { $0 }
            let (process, startedAt) = (present.process, present.startedAt)
            guard !present.isStopped, !Task.isCancelled else { continue }
            // Without a process its start has failed.
            guard let process, !process.hasEnded else {
                failures = (startedAt.map { clock.now - $0 } ?? .zero) > Self.goodLife ? 0 : min(failures + 1, 10)
                log.warning("the process that keeps shared databases has ended, and is started again")
                // Only cancellation ends the sleep early, and it ends the loop too.
                try? await clock.sleep(for: min(Self.longestPause, .seconds(1 << failures)))
                if !Task.isCancelled { start() }
                continue
            }
            process.noteChange()
            try? await clock.sleep(for: Self.interval)
        }
        await stop()
    }

    private func start() {
        do { _ = try running() } catch {
            log.warning("shared databases are not kept", metadata: ["why": "\(error)"])
            changes.ring()
        }
    }

    /// Ends the process, so that it does not use the mount.
    func stop() async {
        let process = state.withLock { state in
            state.isStopped = true
            return state.process
        }
        guard let process, !process.hasEnded else { return }
        process.end()
        let deadline = ContinuousClock.now + Self.patience
        while !process.hasEnded, ContinuousClock.now < deadline {
            // A cancelled task does not wait: the process ends when this one does.
            do { try await Task.sleep(for: .milliseconds(10)) } catch { break }
        }
    }
}
