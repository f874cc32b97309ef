import Dispatch
import Synchronization

/// Carries out a ``SyncSchedule`` on a queue of its own while a document is open.
final class DatabaseSyncLoop: Sendable {
    typealias Work = @Sendable (SyncSchedule.Work, _ isStopped: @escaping @Sendable () -> Bool) -> SyncSchedule.Outcome

    private struct State {
        var schedule = SyncSchedule()
        var isStopped = false
        /// When the next call of the timer comes; nil if none is under way.
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

    /// From any thread; returns at once.
    func handle(_ event: SyncSchedule.Event) {
        let now = environment.now()
        let action = state.withLock { state -> SyncSchedule.Action in
            if event == .timer { state.wake = nil }
            guard !state.isStopped else { return SyncSchedule.Action() }
            var action = state.schedule.handle(event, at: now)
            // One call of the timer is enough; a later one follows from its event.
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

    /// Ends what is running before its next file.
    func cancel() { state.withLock { $0.isStopped = true } }

    /// Ends what is running before its next file, and returns when it has ended.
    func stop() {
        cancel()
        drain()
    }

    /// Waits until what is running has ended.
    func drain() { queue.sync {} }

    /// Runs something while nothing else does. Not from the work itself.
    func perform<T>(_ body: () throws -> T) rethrows -> T { try queue.sync(execute: body) }
}
