import CloudModel

extension ClaimTable {
    // MARK: Which presenters are notified

    /// Returns a notice for each presenter of the folder and the folders above it. A package that does not observe its
    /// content is notified that it changed itself.
    func noticesAbove(_ folder: ItemNumber?, _ notice: PresenterNotice, in tree: some ItemTree) -> [Claim.Notice] {
        guard !presenters.isEmpty, let folder, let nearest = live.nearest(folder, in: tree) else { return [] }
        return ([nearest] + live.ancestors(of: nearest)).flatMap { position -> [Claim.Notice] in
            let node = live[position]
            return node.presenters.sorted().compactMap { id -> Claim.Notice? in
                guard let callbacks = presenters[id]?.registration.callbacks else { return nil }
                if callbacks.contains(notice.callback) { return Claim.Notice(presenter: id, notice: notice) }
                return node.kind == .package ? Claim.Notice(presenter: id, notice: .changed) : nil
            }
        }
    }

    func noticesAt(_ item: ItemNumber, andBelow: Bool, _ notice: PresenterNotice) -> [Claim.Notice] {
        guard let position = live.position(of: .item(item)) else { return [] }
        return live.presenters(at: position, andBelow: andBelow).map { Claim.Notice(presenter: $0, notice: notice) }
    }

    func noticesOfMove(
        _ item: ItemNumber, from: ItemPlace, to: ItemPlace, in tree: some ItemTree
    ) -> [Claim.Notice] {
        let left = noticesAbove(from.folder, .subitemMoved(item, from: from), in: tree)
        let known = Set(left.map(\.presenter))
        let entered = noticesAbove(to.folder, .subitemAppeared(item), in: tree).filter { !known.contains($0.presenter) }
        return noticesAt(item, andBelow: true, .moved) + left + entered
    }

    /// Returns a deletion's notices, except for presenters that agreed to it before.
    func noticesOfDeletion(
        _ item: ItemNumber, from place: ItemPlace, by claim: ClaimID?, in tree: some ItemTree
    ) -> [Claim.Notice] {
        let asked = (claim.flatMap { claims[$0] }?.asks ?? []).compactMap { asks[$0] }.filter(\.isAnswered)
        let itself = Set(asked.filter { $0.messages.contains(.accommodateDeletion) }.map(\.presenter))
        let subitem = PresenterMessage.accommodateSubitemDeletion(.item(item))
        let above = Set(asked.filter { $0.messages.contains(subitem) }.map(\.presenter))
        return noticesAt(item, andBelow: true, .deleted).filter { !itself.contains($0.presenter) }
            + noticesAbove(place.folder, .subitemDeleted(from: place), in: tree).filter {
                !above.contains($0.presenter)
            }
    }

    mutating func notifyOfChange(
        of item: ItemNumber, by claim: ClaimID?, in tree: some ItemTree, except notified: Set<PresenterID> = []
    ) {
        guard !presenters.isEmpty else { return }
        let above = noticesAbove(tree.entry(of: item)?.parent, .subitemChanged(item), in: tree)
        let own = noticesAt(item, andBelow: false, .changed).filter { !notified.contains($0.presenter) }
        for notice in own + above { notify(notice, by: claim) }
    }

    mutating func notify(_ item: ItemNumber, of attributes: UbiquityAttributes) {
        for notice in noticesAt(item, andBelow: false, .attributesChanged(attributes)) {
            let observed = presenters[notice.presenter]?.registration.observed.intersection(attributes) ?? []
            if !observed.isEmpty { send(.init(presenter: notice.presenter, notice: .attributesChanged(observed))) }
        }
    }

    /// Notifies all presenters, including the version's author.
    mutating func notify(_ item: ItemNumber, of version: VersionID, _ change: VersionChange, in tree: some ItemTree) {
        let above = noticesAbove(tree.entry(of: item)?.parent, .subitemVersion(item, version, change), in: tree)
        for notice in noticesAt(item, andBelow: false, .version(version, change)) + above { send(notice) }
    }

    // MARK: When notices are sent

    /// Sends a notice, or keeps it until the end of the causing claim, whose own client is not notified.
    mutating func notify(_ notice: Claim.Notice, by claim: ClaimID?) {
        guard let claim, let holder = claims[claim], holder.phase == .granted else { return send(notice) }
        if let presenter = presenters[notice.presenter], isOwn(presenter, of: holder.request) { return }
        claims[claim]?.keep(notice)
    }

    mutating func send(_ notice: Claim.Notice) {
        guard let presenter = presenters[notice.presenter] else { return }
        guard presenter.registration.callbacks.contains(notice.notice.callback) else { return }
        emit(.notify(notice.presenter, notice.notice))
    }
}
