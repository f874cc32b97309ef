import Chunking

// MARK: Scheduling

extension FetchPlan {
    mutating func schedule(now: Duration) -> [Action] {
        backOff.tick(now: now)
        guard !isStopped, backOff.resumeAt == nil else { return [] }
        guard manifest != nil else { return scheduleManifest() }
        var actions: [Action] = []
        startDemands(&actions)
        while inFlight.count < parallel, let index = readAhead.popFirst() {
            if isIdle(index) { start(index, .readAhead, &actions) }
        }
        for position in waiters.indices where waiters[position].priority != .demand {
            while inFlight.count < parallel, let index = nextIdle(position) { start(index, .background, &actions) }
        }
        return actions
    }

    /// Starts the fetches of demands. They have reserved slots, so background fetches never delay them.
    private mutating func startDemands(_ actions: inout [Action]) {
        for position in waiters.indices where waiters[position].priority == .demand {
            while demandsInFlight < parallel, let index = nextAbsent(position) {
                waiters[position].cursor = index + 1
                switch inFlight[.chunk(index)] {
                case nil: start(index, .demand, &actions)
                case .demand?: break
                case .readAhead?, .background?: promote(.chunk(index), &actions)
                }
            }
        }
    }

    private mutating func scheduleManifest() -> [Action] {
        var actions: [Action] = []
        let wanted = waiters.map(\.priority).min() ?? (hint == nil ? nil : .readAhead)
        guard let wanted else { return [] }
        if let present = inFlight[.manifest] {
            if wanted == .demand, present != .demand { promote(.manifest, &actions) }
        } else {
            inFlight[.manifest] = wanted
            actions.append(.start(.manifest, wanted))
        }
        return actions
    }

    private mutating func start(_ index: Int, _ priority: TransferPriority, _ actions: inout [Action]) {
        inFlight[.chunk(index)] = priority
        actions.append(.start(.chunk(index), priority))
    }

    private mutating func promote(_ target: Target, _ actions: inout [Action]) {
        inFlight[target] = .demand
        actions.append(.promote(target))
    }

    private var demandsInFlight: Int { inFlight.values.count { $0 == .demand } }

    private func isIdle(_ index: Int) -> Bool { !present[index] && inFlight[.chunk(index)] == nil }

    private func nextAbsent(_ position: Int) -> Int? {
        let waiter = waiters[position]
        return present.firstAbsent(in: min(waiter.cursor, waiter.chunks.upperBound)..<waiter.chunks.upperBound)
    }

    /// Moves a background waiter's cursor past chunks already local or in flight.
    private mutating func nextIdle(_ position: Int) -> Int? {
        while let index = nextAbsent(position) {
            waiters[position].cursor = index + 1
            if inFlight[.chunk(index)] == nil { return index }
        }
        return nil
    }
}
