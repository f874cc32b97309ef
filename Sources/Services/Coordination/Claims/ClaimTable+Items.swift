extension ClaimTable {
    /// Handles a new item at a claimed or presented name.
    mutating func create(_ item: ItemNumber, at place: ItemPlace, by claim: ClaimID?, in tree: some ItemTree) {
        rebind(.vacant(place), to: .item(item), in: tree)
        for notice in noticesAbove(place.folder, .subitemAppeared(item), in: tree) { notify(notice, by: claim) }
    }

    mutating func move(
        _ item: ItemNumber, from: ItemPlace, to: ItemPlace, by claim: ClaimID?, in tree: some ItemTree
    ) {
        let notices = noticesOfMove(item, from: from, to: to, in: tree)
        live.move(item, in: tree)
        stayBehind(item, at: from, in: tree)
        rebind(.vacant(to), to: .item(item), in: tree)
        findUnits(atAndBelow: item, in: tree)
        for notice in notices { notify(notice, by: claim) }
    }

    /// Moves the old item's claims and presenters to the new item, and notifies them that it changed; notifies the new
    /// item's presenters that it moved.
    mutating func replace(
        _ old: ItemNumber, with new: ItemNumber, wasMoved: Bool, by claim: ClaimID?, in tree: some ItemTree
    ) {
        let moves = wasMoved ? [] : noticesAt(new, andBelow: true, .moved)
        live.move(new, in: tree)
        rebind(.item(old), to: .item(new), in: tree)
        findUnits(atAndBelow: new, in: tree)
        for notice in moves { notify(notice, by: claim) }
        notifyOfChange(of: new, by: claim, in: tree, except: Set(moves.map(\.presenter)))
    }

    /// Moves claims and presenters of the item to its place, where they wait for the next item, without a notice.
    mutating func setAside(_ item: ItemNumber, from place: ItemPlace, in tree: some ItemTree) {
        live.move(item, in: tree)
        rebind(.item(item), to: .vacant(place), in: tree)
    }

    mutating func delete(_ item: ItemNumber, from place: ItemPlace, by claim: ClaimID?, in tree: some ItemTree) {
        for notice in noticesOfDeletion(item, from: place, by: claim, in: tree) { notify(notice, by: claim) }
        guard let position = live.position(of: .item(item)) else { return }
        for id in Set(live.claims(atAndBelow: position)).sorted() { loseItem(id, item, in: tree) }
        rebind(.item(item), to: .vacant(place), in: tree)
    }

    // MARK: Keys of claims and presenters

    /// Ends a waiting claim whose item is gone, unless it would create the item again.
    private mutating func loseItem(_ id: ClaimID, _ item: ItemNumber, in tree: some ItemTree) {
        guard let claim = claims[id], claim.phase != .granted else { return }
        let lost = claim.holds.first { hold in
            let isReplaced = hold.access.writingOption == .replacing || hold.access.mayCreate
            return isAtOrBelow(hold.key, item) && !(hold.key == .item(item) && isReplaced)
        }
        if let lost { refuse(id, .gone(lost.key)) }
    }

    private func isAtOrBelow(_ key: ItemKey, _ item: ItemNumber) -> Bool {
        guard let position = live.position(of: key), let top = live.position(of: .item(item)) else { return false }
        return position == top || live.ancestors(of: position).contains(top)
    }

    /// Keeps replacing writes where they are when the item moves away: they mean the place, not the item.
    private mutating func stayBehind(_ item: ItemNumber, at place: ItemPlace, in tree: some ItemTree) {
        guard let position = live.position(of: .item(item)) else { return }
        for id in Set(live[position].stances.map(\.claim)).sorted() {
            changeHolds(of: id, in: tree) { hold, _ in
                let stays = hold.access.writingOption == .replacing && hold.access.place == place
                return stays && hold.key == .item(item) ? .vacant(place) : nil
            }
        }
    }

    /// Moves all claims and presenters at a key to a new key.
    private mutating func rebind(_ old: ItemKey, to new: ItemKey, in tree: some ItemTree) {
        guard let position = live.position(of: old) else { return }
        let held = live[position]
        for id in held.presenters { rebind(id, to: new, in: tree) }
        for id in Set(held.stances.map(\.claim)).sorted() {
            changeHolds(of: id, in: tree) { hold, _ in hold.key == old ? new : nil }
        }
    }

    private mutating func rebind(_ id: PresenterID, to key: ItemKey, in tree: some ItemTree) {
        guard let old = presenters[id]?.key, let new = live.insert(key, in: tree) else { return }
        live.place(id, at: new)
        presenters[id]?.key = key
        guard let position = live.position(of: old) else { return }
        live.remove(id, at: position)
        live.prune(position)
    }

    /// Recomputes the units of items after a move, possibly into a package or out of it.
    private mutating func findUnits(atAndBelow item: ItemNumber, in tree: some ItemTree) {
        guard let position = live.position(of: .item(item)) else { return }
        for id in Set(live.claims(atAndBelow: position)).sorted() {
            changeHolds(of: id, in: tree) { hold, live in
                guard let position = live.position(of: hold.key) else { return nil }
                return live[live.unit(of: position)].key == hold.unit ? nil : hold.key
            }
        }
    }

    /// Moves the accesses for which `change` returns a key to that key, and recomputes the claim's conflicts.
    private mutating func changeHolds(
        of id: ClaimID, in tree: some ItemTree, _ change: (Claim.Hold, LiveTree) -> ItemKey?
    ) {
        guard let claim = claims[id] else { return }
        let keys = claim.holds.map { change($0, live) }
        guard keys.contains(where: { $0 != nil }) else { return }
        for hold in claim.holds { release(hold, of: id) }
        // Only a granted claim can be at a removed key; there it no longer affects other claims.
        let holds = zip(claim.holds, keys).map { old, key in
            place(old.access, at: key ?? old.key, of: claim, in: tree) ?? old
        }
        claims[id]?.holds = holds
        guard claim.phase != .granted else { return }
        for other in graph.targets(of: claim.node) where other.claim != nil {
            graph.remove(claim.node, waitsFor: other)
        }
        claims[id]?.hasWaited = true
        ready.append(id)
    }
}
