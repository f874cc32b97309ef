/// A readable snapshot of the table: claimed or presented items and the folders above them, with the waiting claims,
/// and for each its blockers and waiting time.
package struct ClaimSnapshot: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        /// The number of folders above it.
        package let depth: Int
        package let key: ItemKey
        package let kind: TreeKind
        package let presenters: [ShownBy]
        package let claims: [HeldBy]
    }

    package struct ShownBy: Equatable, Sendable {
        package let id: PresenterID
        package let client: ClientID
        /// Whether it left a question unanswered.
        package let isSilent: Bool
        /// The number of unanswered questions.
        package let unanswered: Int
    }

    package enum Stage: Equatable, Sendable { case waiting, asking, granted }

    package struct HeldBy: Equatable, Sendable {
        package let id: ClaimID
        package let client: ClientID
        package let mode: Access.Mode
        package let stage: Stage
        /// The time since the claim was requested or, if it is granted, since the grant.
        package let age: Duration
        package let waitsForClaims: [ClaimID]
        package let waitsForPresenters: [PresenterID]
        package let isClientFrozen: Bool
    }

    /// The items, each folder directly before its content.
    package let items: [Item]
    package let claimCount: Int
    package let presenterCount: Int
}

extension ClaimTable {
    package func snapshot(at now: Duration) -> ClaimSnapshot {
        var items: [ClaimSnapshot.Item] = []
        var pending = live.roots.reversed().map { (position: $0, depth: 0) }
        while let (position, depth) = pending.popLast() {
            items.append(item(at: position, depth: depth, now))
            pending += live.children(of: position).reversed().map { ($0, depth + 1) }
        }
        return ClaimSnapshot(items: items, claimCount: claims.count, presenterCount: presenters.count)
    }

    private func item(at position: LiveTree.Position, depth: Int, _ now: Duration) -> ClaimSnapshot.Item {
        let node = live[position]
        let held = Set(node.stances.map(\.claim)).sorted().compactMap { claims[$0] }
        return ClaimSnapshot.Item(
            depth: depth, key: node.key, kind: node.kind,
            presenters: node.presenters.sorted().compactMap { presenters[$0] }.map(shown),
            claims: held.flatMap { claim in
                claim.holds.filter { $0.key == node.key }.map { self.held(claim, $0.access, now) }
            })
    }

    private func shown(_ presenter: Presenter) -> ClaimSnapshot.ShownBy {
        .init(
            id: presenter.id, client: presenter.registration.client, isSilent: presenter.isSilent,
            unanswered: presenter.asks.count)
    }

    private func held(_ claim: Claim, _ access: Access, _ now: Duration) -> ClaimSnapshot.HeldBy {
        let targets = claim.phase == .granted ? [] : graph.targets(of: claim.node)
        return .init(
            id: claim.id, client: claim.request.client, mode: access.mode, stage: claim.stage,
            age: now - (claim.grantedAt ?? claim.since), waitsForClaims: targets.compactMap(\.claim),
            waitsForPresenters: targets.compactMap(\.presenter), isClientFrozen: isFrozen(claim.request.client))
    }
}

extension Claim {
    fileprivate var stage: ClaimSnapshot.Stage {
        switch phase {
        case .blocked: .waiting
        case .asking: .asking
        case .granted: .granted
        }
    }
}
