import Basics
import DaemonProtocol
import Dispatch
import Glibc
import Logging
import Records
import Synchronization
import UbiquityData

/// Keeps a shared file in sync with the cloud, on a separate thread that sleeps while nothing changes.
final class SharingWorker: Sendable {
    /// The thread's report.
    private struct State {
        var report = Round.Report()
        var isRunning = true
        var lastPublished: WireTime?
        var lastImported: WireTime?
        var problem: DatabaseStatus.Problem?
        var asOf: WireTime?
        var hasSignal = false
        var isRequested = false
        var isStopping = false
    }

    let id: Registration.Name
    /// The database's name in the log: reports have no names.
    private let identifier: String
    private let registry: Registry
    private let folder: CloudFolder
    private let deviceName: String
    private let log: Logger
    private let state = Mutex(State())
    /// Signalled when the thread has ended.
    private let ended = DispatchSemaphore(value: 0)
    /// A pipe for waking the thread.
    private let ends: (read: Int32, write: Int32)

    init(_ registration: Registration, _ registry: Registry, mount: String, deviceName: String, log: Logger) throws {
        id = registration.id
        identifier = registration.identifier
        self.registry = registry
        folder = CloudFolder(mount: mount, id: registration.id)
        self.deviceName = deviceName
        self.log = log
        var pair: [Int32] = [-1, -1]
        try check("pipe") { pipe(&pair) }
        for end in pair {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        ends = (pair[0], pair[1])
        try OwnThread.detach("databases") { self.run(registration.path) }
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    // MARK: What others say

    /// Notes that the mount's files may have changed.
    func cloudChanged() { wake { $0.hasSignal = true } }

    /// Starts the next round immediately.
    func hurry() { wake { $0.isRequested = true } }

    /// Ends the thread after its current round.
    ///
    /// - Returns: Whether it ended within `patience`.
    func stop(within patience: Duration) -> Bool {
        wake { $0.isStopping = true }
        guard ended.wait(timeout: .now() + .milliseconds(Int(patience / .milliseconds(1)))) == .success else {
            return false
        }
        // For repeated calls.
        ended.signal()
        return true
    }

    private func wake(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        // A full pipe wakes the thread as well.
        _ = write(ends.write, [1], 1)
    }

    // MARK: The thread

    private func run(_ path: String) {
        let watch = FileWatch(path)
        var plan = RoundPlan(at: .now)
        var round = Round(registry: registry, folder: folder, deviceName: deviceName)
        while true {
            let (isStopping, hasSignal, isRequested) = state.withLock { state in
                defer { (state.hasSignal, state.isRequested) = (false, false) }
                return (state.isStopping, state.hasSignal, state.isRequested)
            }
            if isStopping { break }
            watch.arm()
            if hasSignal { plan.changed(at: .now) }
            if isRequested { plan.requested(at: .now) }
            if plan.isDue(at: .now) {
                plan.begin()
                state.withLock { $0.isRunning = true }
                let report = round.run(id)
                // The pause differs between files, so that they are not all tried simultaneously.
                plan.finished(report.failure?.retry, at: .now, jitter: Double.random(in: 0...1))
                note(report, isWatched: watch.isArmed)
            } else {
                wait(watch.descriptor, plan.wait(at: .now))
            }
            if watch.drain() { plan.changed(at: .now) }
        }
        ended.signal()
    }

    private func wait(_ watch: Int32, _ limit: Duration?) {
        var polls = [
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = limit.map { Int32(clamping: Int(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
        // Interrupted or not, the loop looks at everything again.
        _ = poll(&polls, 2, milliseconds)
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(ends.read, &bytes, bytes.count) > 0 {}
    }

    private func note(_ report: Round.Report, isWatched: Bool) {
        let now = WireTime(SystemTime().now())
        var report = report
        if !isWatched, report.failure == nil {
            report.notes.append(
                "Changes of the file are not noticed, because its folder cannot be watched; other changes and a restart of the "
                    + "daemon send them. Raise fs.inotify.max_user_watches and fs.inotify.max_user_instances.")
        }
        let before = state.withLock { state in
            let before = state.report.failure
            state.isRunning = false
            if report.hasPublished { state.lastPublished = now }
            if report.hasImported { state.lastImported = now }
            if report.probe != nil { state.asOf = now } else { report.probe = state.report.probe }
            if let failure = report.failure {
                let since = before == failure ? state.problem?.since : nil
                state.problem = DatabaseStatus.Problem(
                    message: failure.message, advice: failure.advice, since: since ?? now)
            } else {
                state.problem = nil
            }
            state.report = report
            return before
        }
        guard before != report.failure else { return }
        if let failure = report.failure {
            log.warning(
                "a shared database is not in step with the cloud",
                metadata: ["database": "\(identifier)", "why": "\(failure.message)"])
        } else {
            log.notice("a shared database is in step with the cloud again", metadata: ["database": "\(identifier)"])
        }
    }

    // MARK: Status

    /// Returns the current status.
    ///
    /// - Parameter fresh: The file's current numbers, if they could be read.
    func status(_ registration: Registration, fresh: SharingProbe?) -> DatabaseStatus {
        let state = state.withLock { $0 }
        var status = DatabaseStatus(
            name: registration.name, container: registration.container, path: registration.path,
            identifier: registration.identifier)
        let probe = fresh ?? state.report.probe
        status.tables = probe?.sharedTables.sorted() ?? registration.tables.map(\.name)
        status.devices = probe?.devices ?? []
        status.pending = probe?.pending ?? 0
        status.conflicts = probe?.conflicts ?? 0
        status.aside = probe?.aside ?? 0
        status.refused = probe?.refused ?? 0
        status.lost = probe?.lost ?? 0
        status.lastPublished = state.lastPublished
        status.lastImported = state.lastImported
        status.problem = state.problem
        status.notes = state.report.notes
        let missing = state.report.missing.map {
            DatabaseStatus.MissingFile(device: $0.device, number: $0.number, since: WireTime($0.since))
        }
        status.missing = missing.isEmpty ? nil : missing
        status.asOf = fresh == nil ? state.asOf : WireTime(SystemTime().now())
        status.state =
            switch state.report.failure?.retry {
            case .afterChange: .stopped
            case .later: .waiting
            case nil:
                status.pending > 0 || !state.report.missing.isEmpty || state.isRunning || state.hasSignal
                    ? .syncing : .current
            }
        return status
    }
}
