@testable import Coordination

extension NaiveTable {
    /// Returns the item to which a claim applies: the outermost package, or the item itself.
    static func unit(_ item: ItemNumber, _ tree: FakeTree) -> ItemNumber {
        let packages = tree.nodes.keys.filter {
            tree.entry(of: $0)?.kind == .package && ($0 == item || tree.isAbove($0, item))
        }
        return packages.first { package in !packages.contains { tree.isAbove($0, package) } } ?? item
    }

    static func conflict(_ left: ClaimRequest, _ right: ClaimRequest, _ tree: FakeTree) -> Bool {
        guard left.purpose != right.purpose else { return false }
        if left.client == right.client, left.purpose == .plain || right.purpose == .plain { return false }
        return left.accesses.contains { a in right.accesses.contains { b in conflict(a, b, tree) } }
    }

    static func conflict(_ left: Access, _ right: Access, _ tree: FakeTree) -> Bool {
        guard !left.isReading || !right.isReading, !left.isImmediate, !right.isImmediate else { return false }
        switch (left.key, right.key) {
        case (.item(let a), .item(let b)):
            let (a, b) = (unit(a, tree), unit(b, tree))
            return a == b || left.coversBelow && tree.isAbove(a, b) || right.coversBelow && tree.isAbove(b, a)
        case (.vacant(let a), .vacant(let b)): return a == b && unit(a.folder, tree) == a.folder
        case (.vacant(let place), .item(let item)): return conflict(place, left, with: item, right, tree)
        case (.item(let item), .vacant(let place)): return conflict(place, right, with: item, left, tree)
        }
    }

    private static func conflict(
        _ place: ItemPlace, _ vacant: Access, with item: ItemNumber, _ other: Access, _ tree: FakeTree
    ) -> Bool {
        let (item, folder) = (unit(item, tree), unit(place.folder, tree))
        guard tree.entry(of: folder)?.kind != .package else {
            return folder == item || other.coversBelow && tree.isAbove(item, folder)
                || vacant.coversBelow && tree.isAbove(folder, item)
        }
        return other.coversBelow && (item == folder || tree.isAbove(item, folder))
    }

    /// Returns a presenter's tasks for a request.
    static func messages(
        to id: PresenterID, _ presenter: PresenterRegistration, _ request: ClaimRequest, _ tree: FakeTree
    ) -> Set<PresenterMessage> {
        guard request.purpose != .plain, request.presenter != id, presenter.purpose != request.purpose else {
            return []
        }
        guard case .item(let shown) = presenter.key else { return [] }
        return Set(request.accesses.flatMap { messages(about: shown, $0, tree) })
            .filter { presenter.callbacks.contains($0.callback) }
    }

    private static func messages(about shown: ItemNumber, _ access: Access, _ tree: FakeTree) -> [PresenterMessage] {
        guard case .item(let item) = access.key, !access.isImmediate else { return [] }
        let unit = unit(item, tree)
        let counts =
            shown == unit || (tree.entry(of: unit)?.kind == .package || access.coversBelow) && tree.isAbove(unit, shown)
        let within = shown == item || tree.isAbove(item, shown)
        let isPackageAbove = tree.entry(of: shown)?.kind == .package && tree.isAbove(shown, item)
        switch access.mode {
        case .evicting: return []
        case .reading(let options):
            guard counts else { return [] }
            return options.contains(.withoutChanges) ? [.relinquishToReader] : [.relinquishToReader, .saveChanges]
        case .writing(let option):
            var messages: [PresenterMessage] = counts ? [.relinquishToWriter] : []
            if option == .merging, counts { messages.append(.saveChanges) }
            guard option == .deleting || option == .replacing else { return messages }
            if within { messages.append(.accommodateDeletion) }
            if isPackageAbove { messages.append(.accommodateSubitemDeletion(access.key)) }
            return messages
        }
    }
}
