/// The table at one moment, for people: items that are held or shown, in a tree, with who waits for whom and since when.
package struct ClaimSnapshot: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package let key: ItemKey
        package let kind: TreeKind
        package let presenters: [ShownBy]
        package let claims: [HeldBy]
        package let children: [Item]
    }

    package struct ShownBy: Equatable, Sendable {
        package let id: PresenterID
        package let client: ClientID
        /// Left a question unanswered.
        package let isSilent: Bool
        /// Questions it has not answered.
        package let unanswered: Int
    }

    package enum Stage: Equatable, Sendable { case waiting, asking, granted }

    package struct HeldBy: Equatable, Sendable {
        package let id: ClaimID
        package let client: ClientID
        package let mode: Access.Mode
        package let stage: Stage
        /// How long since it was asked for, or granted if it is.
        package let age: Duration
        package let waitsForClaims: [ClaimID]
        package let waitsForPresenters: [PresenterID]
        package let isClientFrozen: Bool
    }

    package let items: [Item]
    package let claimCount: Int
    package let presenterCount: Int
}

extension ClaimTable {
    package func snapshot(at now: Duration) -> ClaimSnapshot {
        ClaimSnapshot(
            items: live.roots.map { item(at: $0, now) }, claimCount: claims.count, presenterCount: presenters.count)
    }

    private func item(at position: LiveTree.Position, _ now: Duration) -> ClaimSnapshot.Item {
        let spot = live[position]
        let held = Set(spot.stances.map(\.claim)).sorted().compactMap { claims[$0] }
        return ClaimSnapshot.Item(
            key: spot.key, kind: spot.kind, presenters: spot.presenters.compactMap { presenters[$0] }.map(shown),
            claims: held.flatMap { claim in
                claim.footholds.filter { $0.key == spot.key }.map { self.held(claim, $0.access, now) }
            },
            children: live.children(of: position).map { item(at: $0, now) })
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
