extension ClaimTable {
    /// Finds whom the claim has to wait for. False if there is somebody, or the claim was refused as it would wait for itself.
    mutating func hold(up id: ClaimID) -> Bool {
        guard let claim = claims[id] else { return false }
        var isFree = true
        let behind = Set(graph.sources(of: claim.node))
        for other in conflicts(of: claim) {
            switch relation(of: claim, to: other, behind: behind) {
            case .waits:
                graph.add(claim.node, waitsFor: other.node)
                isFree = false
            case .overtakes: graph.add(other.node, waitsFor: claim.node)
            case .none: break
            }
        }
        if !isFree { claims[id]?.hasWaited = true }
        // Nothing that nobody waits for can close a cycle.
        if !graph.sources(of: claim.node).isEmpty, let path = graph.path(from: claim.node, to: [claim.node]) {
            refuse(id, .deadlock(path))
            return false
        }
        return isFree
    }

    private enum Relation { case waits, overtakes, none }

    private func relation(of claim: Claim, to other: Claim, behind: Set<WaitForGraph.Node>) -> Relation {
        if other.phase == .granted { return .waits }
        guard !behind.contains(other.node), !isFrozen(other.request.client) else { return .none }
        guard other.order < claim.order || other.phase == .asking else { return .none }
        // What it waits for must not wait for it: the other could never begin.
        let goals = claim.overtakesForSakeOf
        let mustLetPass = !goals.isEmpty && graph.path(from: other.node, to: goals) != nil
        return mustLetPass ? .overtakes : .waits
    }

    /// Claims that may not be held together with this one, each once.
    func conflicts(of claim: Claim) -> [Claim] {
        var found: [ClaimID] = []
        for foothold in claim.footholds {
            guard let position = live.position(of: foothold.unit) else { continue }
            let stance = Stance(foothold.access, of: claim.id, claim.request)
            live.forEachStance(meeting: position, coversBelow: stance.coversBelow) { other in
                if stance.conflicts(with: other) { found.append(other.claim) }
            }
        }
        guard !found.isEmpty else { return [] }
        return Set(found).compactMap { claims[$0] }.sorted { $0.order < $1.order }
    }

    func isFrozen(_ client: ClientID) -> Bool { clients[client]?.frozenSince != nil }
}
