import Basics

/// The timers of all downloads, with a single sleeping task: most downloads end long before their time, and a task and
/// a timer of Dispatch for each wake two threads.
final class TransferTimers: Sendable {
    typealias Key = UInt64

    private struct Timer {
        let at: Duration
        let fire: @Sendable () -> Void
    }

    private struct State {
        var timers: [Key: Timer] = [:]
        var lastKey: Key = 0
        /// When the sleeping task wakes. It may be earlier than every timer: their downloads may have ended.
        var wake: Duration?
        var sleeper: Task<Void, Never>?
    }

    private let elapsed: @Sendable () -> Duration
    private let clock: any Clock<Duration>
    private let state = RankedMutex(.leaf, State())

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = Self.stopwatch(clock)
    }

    /// Returns a function for the time elapsed since this call, by a clock of any kind.
    static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// Calls `fire` once after `pause`, from a task.
    ///
    /// - Returns: The key for ``remove(_:)``.
    func add(after pause: Duration, _ fire: @escaping @Sendable () -> Void) -> Key {
        let at = elapsed() + max(.zero, pause)
        let (key, old) = state.withLock { state in
            state.lastKey += 1
            state.timers[state.lastKey] = Timer(at: at, fire: fire)
            return (state.lastKey, sleep(until: at, &state))
        }
        old?.cancel()
        return key
    }

    func remove(_ key: Key) { state.withLock { _ = $0.timers.removeValue(forKey: key) } }

    /// Sleeps until then, unless a task wakes before.
    ///
    /// - Returns: The task due to wake later, to be cancelled.
    private func sleep(until wake: Duration, _ state: inout State) -> Task<Void, Never>? {
        if let present = state.wake, present <= wake { return nil }
        let old = state.sleeper
        state.wake = wake
        state.sleeper = Task { [weak self, clock, pause = max(.zero, wake - elapsed())] in
            do { try await clock.sleep(for: pause) } catch { return }
            self?.woke(wake)
        }
        return old
    }

    private func woke(_ wake: Duration) {
        // A clock may wake slightly early by its own measure; everything set for `wake` is due.
        let now = max(elapsed(), wake)
        let due = state.withLock { state -> [@Sendable () -> Void] in
            // A different task has replaced this one.
            guard state.wake == wake else { return [] }
            let due = state.timers.filter { $0.value.at <= now }
            for key in due.keys { state.timers[key] = nil }
            (state.wake, state.sleeper) = (nil, nil)
            if let next = state.timers.values.lazy.map(\.at).min() { _ = sleep(until: next, &state) }
            return due.sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }.map(\.value.fire)
        }
        for fire in due { fire() }
    }
}
