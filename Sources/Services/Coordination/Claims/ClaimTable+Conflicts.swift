extension ClaimTable {
    /// Finds conflicting claims to wait for. Returns false if there are any, or if the claim was refused because it
    /// would wait for itself.
    mutating func hold(up id: ClaimID) -> Bool {
        guard let claim = claims[id] else { return false }
        var isFree = true
        let behind = Set(graph.sources(of: claim.node))
        for other in conflicts(of: claim) {
            switch relation(of: claim, to: other, behind: behind) {
            case .waits:
                graph.add(claim.node, waitsFor: .claim(other))
                isFree = false
            case .overtakes: graph.add(.claim(other), waitsFor: claim.node)
            case .none: break
            }
        }
        if !isFree { claims[id]?.hasWaited = true }
        // Without claims waiting for it, a claim cannot close a cycle.
        if !graph.sources(of: claim.node).isEmpty, let path = graph.path(from: claim.node, to: [claim.node]) {
            refuse(id, .deadlock(path))
            return false
        }
        return isFree
    }

    private enum Relation { case waits, overtakes, none }

    private func relation(of claim: Claim, to id: ClaimID, behind: Set<WaitForGraph.Node>) -> Relation {
        guard let phase = claims[id]?.phase, let order = claims[id]?.order else { return .none }
        if phase == .granted { return .waits }
        guard !behind.contains(.claim(id)), !isFrozen(claims[id]?.request.client) else { return .none }
        guard order < claim.order || phase == .asking else { return .none }
        // A plain access ends immediately, so passing merely waiting claims does not delay them.
        guard phase == .asking || !claim.request.purpose.isPlain else { return .none }
        // If the other claim waits for this claim's enclosure or presenter, this claim must not wait for it: the other
        // could never begin.
        let goals = claim.overtakesForSakeOf
        let mustLetPass = !goals.isEmpty && graph.path(from: .claim(id), to: goals) != nil
        return mustLetPass ? .overtakes : .waits
    }

    /// Returns the conflicting claims, each once, the earliest first.
    func conflicts(of claim: Claim) -> [ClaimID] {
        var found: [HoldMode] = []
        for hold in claim.holds {
            guard let position = live.position(of: hold.unit) else { continue }
            let mode = HoldMode(hold.access, of: claim)
            live.forEachMode(meeting: position, coversBelow: mode.coversBelow) { other in
                if mode.conflicts(with: other) { found.append(other) }
            }
        }
        // An item's claims are already in their order, unless a move added some.
        if found.count > 1 { found.sort { $0.order < $1.order } }
        var ids: [ClaimID] = []
        for mode in found where ids.last != mode.claim { ids.append(mode.claim) }
        return ids
    }

    /// Returns the granted claim writing at an item or a name, as the author of changes there. Nil if there is none, or
    /// no presenter to notify.
    func writer(of key: ItemKey, in folder: ItemNumber?, in tree: some ItemTree) -> ClaimID? {
        guard !presenters.isEmpty else { return nil }
        let place = live.position(of: key) ?? folder.flatMap { live.nearest($0, in: tree) }
        guard let place else { return nil }
        let unit = live.unit(of: place)
        // A claim on a plain folder does not cover its content.
        let isCovered = live[place].key == key || live[unit].kind == .package
        var found: ClaimID?
        live.forEachMode(meeting: unit, coversBelow: false) { mode in
            guard mode.mode == .writing, isCovered || mode.coversBelow else { return }
            if claims[mode.claim]?.phase == .granted { found = mode.claim }
        }
        return found
    }

    func isFrozen(_ client: ClientID?) -> Bool { client.flatMap { clients[$0] }?.frozenSince != nil }
}
