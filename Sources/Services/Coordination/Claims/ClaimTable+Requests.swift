extension ClaimTable {
    /// Adds a request.
    ///
    /// - Precondition: the id was never used before.
    mutating func open(_ id: ClaimID, _ request: ClaimRequest, in tree: some ItemTree) {
        precondition(claims[id] == nil, "a request needs a number of its own")
        var claim = Claim(id, believable(request), order: makeOrder(), since: now)
        for access in request.accesses {
            guard let hold = place(access, of: claim, in: tree) else {
                for hold in claim.holds { release(hold, of: id) }
                return emit(.refuse(id, .gone(access.key)))
            }
            claim.holds.append(hold)
        }
        claims[id] = claim
        clients[request.client, default: Client()].claims.insert(id)
        if let enclosure = claim.enclosure { graph.add(enclosure, waitsFor: claim.node) }
        if hold(up: id) { advance(id) }
        if let patience = request.patience, let claim = claims[id], claim.phase != .granted {
            set(.patience(id), at: now + patience)
        }
    }

    /// Returns the request without a nonexistent or foreign enclosure or presenter.
    private func believable(_ request: ClaimRequest) -> ClaimRequest {
        let isInside =
            switch request.enclosure {
            case .claim(let id): claims[id].map { $0.phase == .granted && belong($0.request, request) } ?? false
            case .presenter(let id): client(of: id) == request.client
            case nil: true
            }
        let isOwn = request.presenter.map { client(of: $0) == request.client } ?? true
        guard !isInside || !isOwn else { return request }
        return ClaimRequest(
            client: request.client, purpose: request.purpose, accesses: request.accesses,
            presenter: isOwn ? request.presenter : nil, enclosure: isInside ? request.enclosure : nil,
            patience: request.patience)
    }

    /// Returns whether two requests may belong together: a named purpose may be shared by several programs if one
    /// started the other.
    private func belong(_ one: ClaimRequest, _ other: ClaimRequest) -> Bool {
        if case .named = one.purpose, one.purpose == other.purpose { return true }
        return one.client == other.client
    }

    /// Advances a claim as far as possible: past the blocking claims, to the presenters, to the accessor.
    mutating func advance(_ id: ClaimID) {
        guard let claim = claims[id], claim.phase != .granted, !isFrozen(claim.request.client) else { return }
        guard !graph.targets(of: claim.node).contains(where: { $0.claim != nil }) else { return }
        if claim.hasWaited, !hold(up: id) { return }
        if claim.phase == .blocked, !askPresenters(for: id) { return }
        if claims[id]?.awaited.isEmpty == true { grant(id) }
    }

    private mutating func grant(_ id: ClaimID) {
        claims[id]?.phase = .granted
        claims[id]?.grantedAt = now
        emit(.grant(id, claims[id]?.holds.map(\.key) ?? []))
    }

    // MARK: Ends

    mutating func cancel(_ id: ClaimID) {
        guard let claim = claims[id], claim.phase != .granted else { return }
        refuse(id, .cancelled)
    }

    mutating func finish(_ id: ClaimID) {
        guard claims[id]?.phase == .granted else { return }
        close(id)
    }

    mutating func refuse(_ id: ClaimID, _ error: ClaimError) {
        guard claims[id] != nil else { return }
        close(id)
        emit(.refuse(id, error))
    }

    /// Releases everything held by the claim, notifies presenters, and lets waiting claims continue.
    mutating func close(_ id: ClaimID) {
        guard let claim = claims.removeValue(forKey: id) else { return }
        for hold in claim.holds { release(hold, of: id) }
        for case .claim(let waiter) in graph.remove(claim.node) { ready.append(waiter) }
        forget(id, of: claim.request.client)
        for notice in claim.notices { send(notice) }
        for ask in claim.asks { end(ask) }
    }

    private mutating func forget(_ id: ClaimID, of client: ClientID) {
        clients[client]?.claims.remove(id)
        if clients[client]?.isUnused == true { clients[client] = nil }
    }

    // MARK: Its place in the tree

    /// Adds an access of a claim to the tree; nil if there is no such item.
    mutating func place(_ access: Access, at key: ItemKey? = nil, of claim: Claim, in tree: some ItemTree) -> Claim
        .Hold?
    {
        let key = present(key ?? access.key, followingLinks: access.followsLinks, in: tree)
        guard let position = live.insert(key, in: tree) else { return nil }
        let unit = live.unit(of: position)
        live.place(HoldMode(access, of: claim), at: unit)
        if unit != position { live.place(HoldMode(access, of: claim, isPassive: true), at: position) }
        return Claim.Hold(access: access, key: key, unit: live[unit].key)
    }

    mutating func release(_ hold: Claim.Hold, of id: ClaimID) {
        for key in hold.key == hold.unit ? [hold.key] : [hold.key, hold.unit] {
            guard let position = live.position(of: key) else { continue }
            live.removeStances(of: id, at: position)
            live.prune(position)
        }
    }

    /// Returns a key's current meaning: a name taken by an item becomes that item, and links are followed on request.
    func present(_ key: ItemKey, followingLinks: Bool = false, in tree: some ItemTree) -> ItemKey {
        guard case .item(var item) = normal(key, in: tree) else { return key }
        var left = followingLinks ? 40 : 0  // As many as the kernel follows (path_resolution(7)).
        while left > 0, let next = tree.entry(of: item)?.linkTarget {
            item = next
            left -= 1
        }
        return .item(item)
    }

    private func normal(_ key: ItemKey, in tree: some ItemTree) -> ItemKey {
        guard case .vacant(let place) = key, let item = tree.item(at: place) else { return key }
        return .item(item)
    }
}

extension Access {
    var followsLinks: Bool {
        if case .reading(let options) = mode { options.contains(.resolvesSymbolicLink) } else { false }
    }
}
