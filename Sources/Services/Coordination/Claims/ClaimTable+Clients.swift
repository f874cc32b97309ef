extension ClaimTable {
    // MARK: Presenters

    /// Adds a presenter, unless its item is gone.
    /// - Precondition: the id is not in use.
    mutating func register(_ id: PresenterID, _ registration: PresenterRegistration, in tree: some ItemTree) {
        precondition(presenters[id] == nil, "a presenter needs a number of its own")
        let key = present(registration.key, in: tree)
        guard let position = live.insert(key, in: tree) else { return }
        live.place(id, at: position)
        presenters[id] = Presenter(id: id, registration: registration, key: key)
        clients[registration.client, default: Client()].presenters.insert(id)
    }

    /// Removes a presenter. Claims waiting for its answer no longer wait.
    mutating func unregister(_ id: PresenterID) {
        guard let presenter = presenters.removeValue(forKey: id) else { return }
        if let position = live.position(of: presenter.key) {
            live.remove(id, at: position)
            live.prune(position)
        }
        for ask in presenter.asks.sorted() {
            settle(ask)
            asks[ask] = nil
        }
        _ = graph.remove(.presenter(id))
        clients[presenter.registration.client]?.presenters.remove(id)
        if clients[presenter.registration.client]?.isUnused == true { clients[presenter.registration.client] = nil }
    }

    // MARK: Clients

    func isBusy(_ id: ClientID) -> Bool {
        guard let client = clients[id] else { return false }
        // There are fewer questions than presenters.
        return client.claims.contains { claims[$0]?.phase == .granted }
            || asks.values.contains { !$0.isAnswered && client.presenters.contains($0.presenter) }
    }

    /// Ends a dead client's claims and presenters immediately, without notices: there is no recipient.
    mutating func end(_ id: ClientID) {
        guard let client = clients.removeValue(forKey: id) else { return }
        for presenter in client.presenters.sorted() { unregister(presenter) }
        for claim in client.claims.sorted() { close(claim) }
        clients[id] = nil
    }

    /// Freezes a client: no claim waits for its answers, or behind its waiting requests. Its granted claims stay for a
    /// while.
    mutating func freeze(_ id: ClientID) {
        guard clients[id] != nil, !isFrozen(id) else { return }
        clients[id]?.frozenSince = now
        set(.frozen(id, since: now), at: now + bounds.frozenHolder)
        for presenter in clients[id]?.presenters.sorted() ?? [] {
            for ask in presenters[presenter]?.asks.sorted() ?? [] { passOver(ask) }
        }
        for claim in clients[id]?.claims.sorted() ?? [] where claims[claim]?.phase != .granted { stepAside(claim) }
    }

    /// Thaws a client: its requests wait in the queue again, in their previous order.
    mutating func thaw(_ id: ClientID) {
        guard isFrozen(id) else { return }
        clients[id]?.frozenSince = nil
        for claim in clients[id]?.claims.sorted() ?? [] where claims[claim]?.phase != .granted {
            claims[claim]?.hasWaited = true
            ready.append(claim)
        }
        if clients[id]?.isUnused == true { clients[id] = nil }
    }

    private mutating func stepAside(_ id: ClaimID) {
        for source in graph.sources(of: .claim(id)) {
            guard let waiter = source.claim, claims[waiter]?.phase != .granted else { continue }
            graph.remove(source, waitsFor: .claim(id))
            ready.append(waiter)
        }
    }

    /// Returns whether the client has been frozen for so long that waiting clients continue without it.
    func isOverdue(_ id: ClientID, since: Duration) -> Bool { clients[id]?.frozenSince == since }

    private mutating func revokeClaims(of id: ClientID) {
        for claim in clients[id]?.claims.sorted() ?? [] where claims[claim]?.phase == .granted {
            emit(.revoke(claim, id))
            emit(.report(.claimRevoked(claim, id)))
            close(claim)
        }
    }

    // MARK: Time

    mutating func set(_ alarm: AlarmQueue.Alarm, at time: Duration) {
        alarms.set(alarm, at: time)
        guard alarms.count > 64, alarms.count > 2 * (claims.count + asks.count + clients.count) else { return }
        let table = self
        alarms.compact { table.isLive($0) }
    }

    private func isLive(_ alarm: AlarmQueue.Alarm) -> Bool {
        switch alarm {
        case .patience(let claim): claims[claim].map { $0.phase != .granted } ?? false
        case .answer(let ask): asks[ask].map { claims[$0.claim]?.awaited.contains(ask) ?? false } ?? false
        case .frozen(let client, let since): isOverdue(client, since: since)
        }
    }

    mutating func soundAlarms() {
        while let alarm = alarms.popDue(at: now) {
            if case .patience = alarm { goOn() }
            guard isLive(alarm) else { continue }
            switch alarm {
            case .patience(let id): refuse(id, .timedOut(waitingFor: graph.targets(of: .claim(id))))
            case .answer(let ask): passOver(ask)
            case .frozen(let client, _): revokeClaims(of: client)
            }
        }
    }
}
