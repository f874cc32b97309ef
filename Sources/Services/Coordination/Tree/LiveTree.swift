/// The part of the item tree with claims or presenters, and the folders above them.
///
/// Grows with the held items, not with the size of the tree. A new claim only visits positions on its way up to the
/// root, or held positions below it.
struct LiveTree: Sendable {
    /// The position of an item in the tree; valid until nothing is held at or below it.
    typealias Position = Int

    struct Entry: Sendable {
        var key: ItemKey
        var kind: TreeKind
        var parent: Position?
        var firstChild: Position?
        var next: Position?
        var previous: Position?
        var stances: [HoldMode] = []
        /// A set, as a single item may have many thousands.
        var presenters: Set<PresenterID> = []
        /// The number of stances at and below, so that a walk down skips unheld subtrees.
        var stancesWithin = 0
        var presentersWithin = 0

        var isEmpty: Bool { stancesWithin == 0 && presentersWithin == 0 }
    }

    private(set) var nodes: [Entry] = []
    /// Called for each visited node; tests count the work with it.
    var onVisit: (@Sendable () -> Void)?
    private var free: [Position] = []
    private var positions: [ItemKey: Position] = [:]

    var count: Int { positions.count }
    var roots: [Position] { positions.values.filter { nodes[$0].parent == nil }.sorted() }

    subscript(_ position: Position) -> Entry { nodes[position] }

    func position(of key: ItemKey) -> Position? { positions[key] }

    /// Adds an item and the folders above it; nil if it is not in the tree. The caller has to place something there or call ``prune(_:)``.
    mutating func insert(_ key: ItemKey, in tree: some ItemTree) -> Position? {
        // Without recursion, as a tree may be deeper than a stack.
        var missing: [(key: ItemKey, kind: TreeKind)] = []
        var wanted: ItemKey? = key
        var above: Position?
        while let key = wanted {
            above = positions[key]
            guard above == nil else { break }
            guard let (kind, folder) = Self.describe(key, in: tree) else { return nil }
            missing.append((key, kind))
            wanted = folder.map(ItemKey.item)
        }
        for (key, kind) in missing.reversed() { above = add(Entry(key: key, kind: kind, parent: above)) }
        return above
    }

    private static func describe(_ key: ItemKey, in tree: some ItemTree) -> (kind: TreeKind, folder: ItemNumber?)? {
        switch key {
        case .item(let item): tree.entry(of: item).map { ($0.kind, $0.parent) }
        case .vacant(let place): (.file, place.folder)
        }
    }

    private mutating func add(_ node: Entry) -> Position {
        onVisit?()
        let position: Position
        if let reused = free.popLast() {
            position = reused
            nodes[position] = node
        } else {
            position = nodes.count
            nodes.append(node)
        }
        positions[node.key] = position
        if let parent = node.parent { link(position, below: parent) }
        return position
    }

    private mutating func link(_ position: Position, below parent: Position) {
        let sibling = nodes[parent].firstChild
        nodes[position].parent = parent
        nodes[position].next = sibling
        nodes[position].previous = nil
        if let sibling { nodes[sibling].previous = position }
        nodes[parent].firstChild = position
    }

    private mutating func unlink(_ position: Position) {
        let node = nodes[position]
        if let previous = node.previous {
            nodes[previous].next = node.next
        } else if let parent = node.parent {
            nodes[parent].firstChild = node.next
        }
        if let next = node.next { nodes[next].previous = node.previous }
        nodes[position].parent = nil
    }

    /// Removes the item and the folders above it as far as nothing is held there.
    mutating func prune(_ position: Position) {
        var current: Position? = position
        while let position = current, nodes[position].isEmpty {
            current = nodes[position].parent
            unlink(position)
            positions[nodes[position].key] = nil
            free.append(position)
        }
    }

    // MARK: Stances and presenters

    mutating func place(_ mode: HoldMode, at position: Position) {
        nodes[position].stances.append(mode)
        count(stances: 1, presenters: 0, from: position)
    }

    mutating func removeStances(of claim: ClaimID, at position: Position) {
        let before = nodes[position].stances.count
        nodes[position].stances.removeAll { $0.claim == claim }
        count(stances: nodes[position].stances.count - before, presenters: 0, from: position)
    }

    mutating func place(_ presenter: PresenterID, at position: Position) {
        nodes[position].presenters.insert(presenter)
        count(stances: 0, presenters: 1, from: position)
    }

    mutating func remove(_ presenter: PresenterID, at position: Position) {
        guard nodes[position].presenters.remove(presenter) != nil else { return }
        count(stances: 0, presenters: -1, from: position)
    }

    private mutating func count(stances: Int, presenters: Int, from position: Position) {
        var current: Position? = position
        while let position = current {
            onVisit?()
            nodes[position].stancesWithin += stances
            nodes[position].presentersWithin += presenters
            current = nodes[position].parent
        }
    }

    // MARK: Moves

    /// Moves the item, with everything below it, to its current place in the tree.
    mutating func move(_ item: ItemNumber, in tree: some ItemTree) {
        guard let position = positions[.item(item)], let entry = tree.entry(of: item) else { return }
        nodes[position].kind = entry.kind
        let oldParent = nodes[position].parent
        guard let folder = entry.parent, let parent = insert(.item(folder), in: tree), parent != oldParent else {
            return
        }
        let node = nodes[position]
        if let oldParent { count(stances: -node.stancesWithin, presenters: -node.presentersWithin, from: oldParent) }
        unlink(position)
        link(position, below: parent)
        count(stances: node.stancesWithin, presenters: node.presentersWithin, from: parent)
        if let oldParent { prune(oldParent) }
    }
}
