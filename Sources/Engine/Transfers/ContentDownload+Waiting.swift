import Basics
import Chunking
import CloudModel
import Synchronization

// MARK: Events and waiters

extension ContentDownload {
    typealias Waiting = CheckedContinuation<Void, any Error>

    /// An event's effects outside the lock.
    struct Effects {
        var resumed: [(waiter: Waiting, error: TransferError?)] = []
        var cancelled: [(target: FetchPlan.Target, ticket: TransferTicket)] = []
        var drained: [CheckedContinuation<Void, Never>] = []
        var progress: DownloadProgress?
    }

    /// Passes an event to the plan and performs the returned actions.
    func handle(_ event: (inout State, Duration) -> [FetchPlan.Action]) {
        let now = elapsed()
        let effects = state.withLock { perform(event(&$0, now), &$0, now: now) }
        finish(effects)
    }

    /// Registers a waiter, unless its task is cancelled: a later cancellation finds it in the table.
    func wait(
        _ id: FetchPlan.WaiterID, _ continuation: Waiting,
        _ demand: (inout FetchPlan, Duration) -> [FetchPlan.Action]
    ) {
        let now = elapsed()
        let effects: Effects? = state.withLock { state in
            guard !Task.isCancelled else { return nil }
            state.waiters[id] = continuation
            return perform(demand(&state.plan, now), &state, now: now)
        }
        guard let effects else { return continuation.resume(throwing: CancellationError()) }
        finish(effects)
    }

    func cancel(_ id: FetchPlan.WaiterID) {
        let now = elapsed()
        let (waiter, effects): (Waiting?, Effects) = state.withLock { state in
            guard let waiter = state.waiters.removeValue(forKey: id) else { return (nil, Effects()) }
            return (waiter, perform(state.plan.cancel(id), &state, now: now))
        }
        waiter?.resume(throwing: CancellationError())
        finish(effects)
    }

    /// Performs the actions. Fetches start under the lock, so that their outcome finds its ticket; calls into foreign
    /// code are left to the effects.
    private func perform(_ actions: [FetchPlan.Action], _ state: inout State, now: Duration) -> Effects {
        var effects = Effects()
        for action in actions {
            switch action {
            case .start(let target, let priority): start(target, priority, &state)
            case .promote(let target):
                if let ticket = state.tickets[target] { context.slots.promote(ticket, to: .demand) }
                if let throttleTicket = state.throttleTickets[target] { context.down.promote(throttleTicket) }
            case .cancel(let target):
                if let ticket = state.tickets[target] { effects.cancelled.append((target, ticket)) }
            case .succeed(let id): release(id, nil, &state, &effects)
            case .fail(let id, let error): release(id, error, &state, &effects)
            }
        }
        if state.plan.isStopped, state.plan.inFlight.isEmpty {
            effects.drained = state.drains
            state.drains = []
        }
        if state.plan.presentBytes != state.reportedBytes {
            state.reportedBytes = state.plan.presentBytes
            effects.progress = Self.progress(state.plan)
        }
        setTimer(&state, now: now)
        return effects
    }

    private func release(
        _ id: FetchPlan.WaiterID, _ error: TransferError?, _ state: inout State, _ effects: inout Effects
    ) {
        if let waiter = state.waiters.removeValue(forKey: id) { effects.resumed.append((waiter, error)) }
    }

    private func finish(_ effects: Effects) {
        // Before the waiters resume: the reported progress never lags behind their received bytes.
        if let progress = effects.progress { options.onProgress?(progress) }
        for (waiter, error) in effects.resumed {
            if let error { waiter.resume(throwing: error) } else { waiter.resume() }
        }
        for drain in effects.drained { drain.resume() }
        for (target, ticket) in effects.cancelled where context.slots.cancel(ticket) {
            // The fetch never ran, so the plan has to be notified here.
            handle { state, now in
                state.forget(target)
                return state.plan.abandoned(target, now: now)
            }
        }
    }
}

// MARK: Timer

extension ContentDownload {
    /// Sets the timer to the time requested by the plan. Called under the lock.
    private func setTimer(_ state: inout State, now: Duration) {
        let wake = state.plan.nextWake
        // An early timer finds nothing to do and is set again, at a lower cost than a new timer per chunk.
        if let wake, let timer = state.timer, timer.at <= wake { return }
        if let timer = state.timer { context.timers.remove(timer.key) }
        state.timer = wake.map { wake in
            Timer(at: wake, key: context.timers.add(after: wake - now) { [weak self] in self?.fire(wake) })
        }
    }

    private func fire(_ wake: Duration) {
        handle { state, now in
            // A clock may wake slightly early by its own measure; everything scheduled for `wake` is due.
            if state.timer?.at == wake { state.timer = nil }
            let now = max(now, wake)
            let isReaderLate = state.plan.waiters.contains { $0.priority == .demand && $0.isLate(now) }
            let actions = state.plan.tick(now: now)
            for case .fail(_, let error) in actions where isReaderLate {
                context.silences.note(reference.digest, error)
            }
            return actions
        }
    }
}
