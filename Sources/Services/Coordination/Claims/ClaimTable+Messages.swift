extension ClaimTable {
    typealias MessagePlan = [(presenter: PresenterID, messages: [PresenterMessage])]

    /// Returns the presenters' tasks before the claim may begin. Fails if a presenter's agreement is required but it
    /// cannot be asked.
    func plan(for claim: Claim) -> Result<MessagePlan, ClaimError> {
        guard !claim.request.purpose.isPlain else { return .success([]) }
        var plan: MessagePlan = []
        var places: [PresenterID: Int] = [:]
        for hold in claim.holds {
            for (id, message) in messages(for: hold) {
                guard let presenter = presenters[id], !isOwn(presenter, of: claim.request) else { continue }
                let can = presenter.registration.callbacks.contains(message.callback)
                if message == .accommodateEviction, !can || !isAwake(presenter) { return .failure(.kept(by: id)) }
                guard can, isAwake(presenter), !hasDone(message, presenter: id, for: claim) else { continue }
                let place = places[id] ?? plan.count
                if place == plan.count { plan.append((id, [])) }
                places[id] = place
                if !plan[place].messages.contains(message) { plan[place].messages.append(message) }
            }
        }
        return .success(plan)
    }

    func isOwn(_ presenter: Presenter, of request: ClaimRequest) -> Bool {
        presenter.id == request.presenter || presenter.registration.purpose == request.purpose
    }

    private func isAwake(_ presenter: Presenter) -> Bool {
        !presenter.isSilent && !isFrozen(presenter.registration.client)
    }

    /// Returns whether the presenter has already done this for an enclosing claim of the same purpose.
    private func hasDone(_ message: PresenterMessage, presenter: PresenterID, for claim: Claim) -> Bool {
        var enclosing = claim.enclosure?.claim.flatMap { claims[$0] }
        while let outer = enclosing {
            let done = outer.asks.compactMap { asks[$0] }.filter { $0.presenter == presenter && $0.isAnswered }
            let isDone = done.contains {
                $0.messages.contains(message)
                    || message == .relinquishToReader && $0.messages.contains(.relinquishToWriter)
            }
            if outer.request.purpose == claim.request.purpose, isDone { return true }
            enclosing = outer.enclosure?.claim.flatMap { claims[$0] }
        }
        return false
    }

    /// Returns an access's messages, in the order of their delivery to a presenter.
    private func messages(for hold: Claim.Hold) -> [(PresenterID, PresenterMessage)] {
        guard let position = live.position(of: hold.key), let unit = live.position(of: hold.unit) else {
            return []
        }
        let access = hold.access
        let isPackage = live[unit].kind == .package
        let concerned = live.presenters(at: unit, andBelow: isPackage || access.coversBelow)
        let within = { live.presenters(at: position, andBelow: true) }
        switch access.mode {
        case .reading where access.isImmediate: return []
        case .reading(let options):
            let saves = options.contains(.withoutChanges) ? [] : concerned.map { ($0, PresenterMessage.saveChanges) }
            return concerned.map { ($0, .relinquishToReader) } + saves
        case .evicting: return within().map { ($0, .accommodateEviction) }
        case .writing(let option):
            let relinquish = concerned.map { ($0, PresenterMessage.relinquishToWriter) }
            if option == .merging { return relinquish + concerned.map { ($0, .saveChanges) } }
            guard option?.endsItem == true, case .item = hold.key else { return relinquish }
            return relinquish + within().map { ($0, .accommodateDeletion) }
                + packages(around: position).map { ($0, .accommodateSubitemDeletion(hold.key)) }
        }
    }

    /// Returns the presenters of the item's enclosing packages.
    private func packages(around position: LiveTree.Position) -> [PresenterID] {
        live.ancestors(of: position).filter { live[$0].kind == .package }.flatMap { live[$0].presenters.sorted() }
    }
}
