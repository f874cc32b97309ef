import Dispatch
import Synchronization

/// Carries out a ``SyncSchedule`` on a separate queue while a document is open.
final class DatabaseSyncLoop: Sendable {
    typealias Work = @Sendable (SyncSchedule.Work, _ isStopped: @escaping @Sendable () -> Bool) -> SyncSchedule.Outcome

    private struct State {
        var schedule = SyncSchedule()
        var isStopped = false
        /// The time of the next timer call; nil if none is pending.
        var wake: Duration?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "ubiquity.database")
    private let environment: SyncEnvironment
    private let work: Work

    init(_ environment: SyncEnvironment, work: @escaping Work) {
        self.environment = environment
        self.work = work
    }

    /// From any thread; returns immediately.
    func handle(_ event: SyncSchedule.Event) {
        let now = environment.now()
        let action = state.withLock { state -> SyncSchedule.Action in
            if event == .timer { state.wake = nil }
            guard !state.isStopped else { return SyncSchedule.Action() }
            var action = state.schedule.handle(event, at: now)
            // A single timer call is enough; its event schedules any later call.
            if let wake = action.wake, let known = state.wake, known <= wake { action.wake = nil }
            if let wake = action.wake { state.wake = wake }
            return action
        }
        if let run = action.run {
            queue.async { [self] in
                let outcome = work(run) { self.state.withLock { $0.isStopped } }
                handle(.finished(outcome))
            }
        }
        if let wake = action.wake {
            environment.after(wake - now) { [weak self] in self?.handle(.timer) }
        }
    }

    /// Ends running work before its next file.
    func cancel() { state.withLock { $0.isStopped = true } }

    /// Ends running work before its next file, and waits for the end.
    func stop() {
        cancel()
        drain()
    }

    /// Waits until running work has ended.
    func drain() { queue.sync {} }

    /// Runs `body` while the loop is idle. Must not be called from the work itself.
    func perform<T>(_ body: () throws -> T) rethrows -> T { try queue.sync(execute: body) }
}
