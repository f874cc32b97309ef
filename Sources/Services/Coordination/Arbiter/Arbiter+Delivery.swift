import Basics
import Synchronization

extension Arbiter {
    func makeNumber() -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
    }

    /// Passes an event to the table, if there is one, and carries out the resulting actions.
    func perform(_ event: (inout State) -> ClaimEvent?) {
        let deliveries = state.withLock { state -> [Delivery] in
            guard let event = event(&state) else { return [] }
            let now = start.duration(to: clock.now)
            for action in state.table.handle(event, now: now, in: tree) { Self.enqueue(action, &state) }
            setAlarm(&state)
            return Self.takeDeliveries(&state)
        }
        deliver(deliveries)
    }

    private static func enqueue(_ action: ClaimAction, _ state: inout State) {
        switch action {
        case .grant(let id, let items): enqueue(.success(items), of: id, &state)
        case .refuse(let id, let error): enqueue(.failure(error), of: id, &state)
        case .revoke(let id, let client): state.deliveries.append(.revocation(id, client))
        case .ask(let id, let presenter, let messages): enqueue(.ask(id, messages), to: presenter, &state)
        case .reacquire(let id, let presenter): enqueue(.reacquire(id), to: presenter, &state)
        case .notify(let presenter, let notice): enqueue(.notice(notice), to: presenter, &state)
        case .report(let report): state.deliveries.append(.report(report))
        }
    }

    static func enqueue(_ outcome: Outcome, of id: ClaimID, _ state: inout State) {
        guard let waiter = state.waiters.removeValue(forKey: id) else { return }
        state.deliveries.append(.outcome(waiter, outcome))
    }

    private static func enqueue(_ message: PresenterDelivery, to presenter: PresenterID, _ state: inout State) {
        guard let client = state.table.client(of: presenter) else { return }
        state.deliveries.append(.message(message, presenter, client))
    }

    /// Delivers outcomes and messages. One thread delivers at a time, so everything arrives in the order of the
    /// decisions.
    private func deliver(_ deliveries: [Delivery]) {
        var batch = deliveries
        while !batch.isEmpty {
            for delivery in batch { deliver(delivery) }
            batch = state.withLock { state in
                state.isDelivering = false
                return Self.takeDeliveries(&state)
            }
        }
    }

    /// Takes pending deliveries. Empty if there are none, or if another thread is delivering and will take these as
    /// well.
    private static func takeDeliveries(_ state: inout State) -> [Delivery] {
        guard !state.isDelivering, !state.deliveries.isEmpty else { return [] }
        state.isDelivering = true
        defer { state.deliveries = [] }
        return state.deliveries
    }

    private func deliver(_ delivery: Delivery) {
        switch delivery {
        case .message(let message, let presenter, let client): messenger.send(message, to: presenter, of: client)
        case .outcome(let complete, let outcome): complete(outcome)
        case .revocation(let claim, let client): messenger.revoke(claim, of: client)
        case .report(let report): messenger.report(report)
        }
    }

    // MARK: Time

    /// Sets the timer for the table's next deadline. An unnecessary alarm costs one event.
    private func setAlarm(_ state: inout State) {
        guard !state.isClosed, let wake = state.table.nextWake else { return }
        if let alarm = state.alarm {
            guard wake < alarm.time else { return }
            alarm.task.cancel()
        }
        state.alarm = (
            wake,
            Task { [weak self, clock, start] in
                do { try await clock.sleep(until: start.advanced(by: wake), tolerance: nil) } catch { return }
                self?.sound(wake)
            }
        )
    }

    private func sound(_ time: Duration) {
        perform { state in
            if state.alarm?.time == time { state.alarm = nil }
            return .ticked
        }
    }
}
