/// Decides when an open document publishes, imports, and looks for commits of other processes: event in, action out.
/// Times are durations since any fixed moment.
struct SyncSchedule: Sendable {
    struct Work: OptionSet, Hashable, Sendable {
        let rawValue: Int
        static let publish = Work(rawValue: 1)
        static let importFiles = Work(rawValue: 2)
        /// Looks for commits by another process.
        static let look = Work(rawValue: 4)
    }

    enum Event: Hashable, Sendable {
        case opened
        /// This object, or another process, has committed.
        case committed
        /// The database's files were touched, by this object or by another process.
        case touched
        /// The container's folder has changed.
        case filesArrived
        case timer
        case finished(Outcome)
    }

    struct Outcome: Hashable, Sendable {
        /// Whether the log lacks files written by this device. The mount sends no event when the log gets them.
        var isUnconfirmed = false
        /// Another process is publishing and importing this document.
        var isBusy = false
        /// The container, or the database's folder in it, is missing.
        var isUnreachable = false
        var hasFailed = false
        /// Another process has committed.
        var hasForeignCommit = false
    }

    struct Action: Hashable, Sendable {
        var run: Work?
        /// The time of the next timer call.
        var wake: Duration?
    }

    /// Each file is an entry of the container's log.
    static let publishInterval = Duration.seconds(1)
    static let importInterval = Duration.milliseconds(250)
    static let lookInterval = Duration.milliseconds(250)
    /// Folder events can be lost, so an open document also looks from time to time.
    static let idleInterval = Duration.seconds(60)
    static let maximumBackOff = Duration.seconds(60)
    static let maximumConfirmation = Duration.seconds(30)

    private var isRunning: Work?
    private var due: [Work.RawValue: Duration] = [:]
    private var last: [Work.RawValue: Duration] = [:]
    /// Until this time, only looks run.
    private var retryTime: Duration?
    private var failures = 0
    private var confirmations = 0

    init() {}

    mutating func handle(_ event: Event, at now: Duration) -> Action {
        switch event {
        case .opened:
            plan(.publish, at: now)
            plan(.importFiles, at: now)
        case .committed: plan(.publish, at: next(.publish, Self.publishInterval, now))
        case .touched: plan(.look, at: next(.look, Self.lookInterval, now))
        case .filesArrived: plan(.importFiles, at: next(.importFiles, Self.importInterval, now))
        case .timer: break
        case .finished(let outcome): finish(outcome, now)
        }
        return action(now)
    }

    private func next(_ work: Work, _ interval: Duration, _ now: Duration) -> Duration {
        max(now, last[work.rawValue].map { $0 + interval } ?? now)
    }

    private mutating func plan(_ work: Work, at time: Duration) {
        due[work.rawValue] = min(due[work.rawValue] ?? time, time)
    }

    private mutating func finish(_ outcome: Outcome, _ now: Duration) {
        guard let done = isRunning else { return }
        isRunning = nil
        if outcome.hasForeignCommit { plan(.publish, at: next(.publish, Self.publishInterval, now)) }
        guard done != .look else { return }
        if outcome.hasFailed {
            // The failed work is still due.
            retryTime = now + Self.doubled(failures, limit: Self.maximumBackOff)
            failures += 1
            for work in [Work.publish, .importFiles] where done.contains(work) { plan(work, at: now) }
            return
        }
        (failures, retryTime) = (0, nil)
        if outcome.isBusy || outcome.isUnreachable {
            let wait = outcome.isBusy ? Self.publishInterval : nextConfirmation()
            for work in [Work.publish, .importFiles] where done.contains(work) { plan(work, at: now + wait) }
        } else if outcome.isUnconfirmed {
            plan(.importFiles, at: now + nextConfirmation())
        } else {
            confirmations = 0
            if done.contains(.importFiles) { plan(.importFiles, at: now + Self.idleInterval) }
        }
    }

    private mutating func nextConfirmation() -> Duration {
        defer { confirmations += 1 }
        return Self.doubled(confirmations, limit: Self.maximumConfirmation)
    }

    /// 1 s, 2 s, 4 s and so on.
    private static func doubled(_ count: Int, limit: Duration) -> Duration {
        min(limit, .seconds(1 << min(count, 16)))
    }

    private mutating func action(_ now: Duration) -> Action {
        guard isRunning == nil else { return Action() }
        var run = Work()
        var wake: Duration?
        for (raw, time) in due {
            let work = Work(rawValue: raw)
            let time = work == .look ? time : max(time, retryTime ?? time)
            if time <= now { run.insert(work) } else { wake = min(wake ?? time, time) }
        }
        guard !run.isEmpty else { return Action(wake: wake) }
        // Imports follow writes, so that a single look at the folder serves both.
        for work in [Work.publish, .importFiles, .look] where run.contains(work) {
            due[work.rawValue] = nil
            last[work.rawValue] = now
        }
        isRunning = run
        return Action(run: run)
    }
}
