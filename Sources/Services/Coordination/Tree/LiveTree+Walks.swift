extension LiveTree {
    /// Returns the relevant item for claims: the outermost package around it, or itself.
    func unit(of position: Position) -> Position {
        var unit = position
        var current: Position? = position
        while let position = current {
            onVisit?()
            if nodes[position].kind == .package { unit = position }
            current = nodes[position].parent
        }
        return unit
    }

    /// Calls `body` for every stance met by an access at `position`: stances there, covering stances above, and stances
    /// below if this access covers.
    func forEachMode(meeting position: Position, coversBelow: Bool, _ body: (HoldMode) -> Void) {
        for mode in nodes[position].stances { body(mode) }
        var current = nodes[position].parent
        while let position = current {
            onVisit?()
            for mode in nodes[position].stances where mode.coversBelow { body(mode) }
            current = nodes[position].parent
        }
        guard coversBelow else { return }
        visit(below: position, where: { $0.stancesWithin > 0 }) { node in
            for mode in node.stances { body(mode) }
        }
    }

    /// Returns the presenters of the item, with those of everything below it if `andBelow`.
    func presenters(at position: Position, andBelow: Bool) -> [PresenterID] {
        var found = Array(nodes[position].presenters)
        if andBelow { visit(below: position, where: { $0.presentersWithin > 0 }) { found += $0.presenters } }
        return found.sorted()
    }

    /// Returns the claims at or below the item.
    func claims(atAndBelow position: Position) -> [ClaimID] {
        var found = nodes[position].stances.map(\.claim)
        visit(below: position, where: { $0.stancesWithin > 0 }) { found += $0.stances.map(\.claim) }
        return found
    }

    /// Returns the positions above, the nearest first.
    func ancestors(of position: Position) -> [Position] {
        var found: [Position] = []
        var current = nodes[position].parent
        while let position = current {
            onVisit?()
            found.append(position)
            current = nodes[position].parent
        }
        return found
    }

    /// Returns the positions directly below, in the order in which they were first held.
    func children(of position: Position) -> [Position] {
        var found: [Position] = []
        var current = nodes[position].firstChild
        while let position = current {
            found.append(position)
            current = nodes[position].next
        }
        return found.reversed()
    }

    /// Returns the nearest position at or above the folder with something held at or below it; nil if there is none.
    func nearest(_ folder: ItemNumber, in tree: some ItemTree) -> Position? {
        var current: ItemNumber? = folder
        while let item = current {
            if let position = position(of: .item(item)) { return position }
            current = tree.entry(of: item)?.parent
        }
        return nil
    }

    /// Visits entries without recursion, as a tree may be deeper than a stack.
    private func visit(below top: Position, where isWanted: (Entry) -> Bool, _ body: (Entry) -> Void) {
        var pending = [nodes[top].firstChild].compactMap(\.self)
        while let position = pending.popLast() {
            onVisit?()
            let node = nodes[position]
            if let next = node.next { pending.append(next) }
            guard isWanted(node) else { continue }
            body(node)
            if let child = node.firstChild { pending.append(child) }
        }
    }
}
