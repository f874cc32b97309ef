/// Effects of the preference about the cloud.
extension ManagerSession {
    /// Stores the preference and all documents' pending actions in a single step, before acting.
    mutating func handle(_ event: CloudPreference.Event) throws {
        var preference = state.preference
        let actions = preference.handle(event)
        let names = try files.names()
        let moving = state.moving
        var moves: [DatabaseMove] = []
        var drops: Set<String> = []
        for action in actions {
            switch action {
            case .moveAllToCloud:
                for name in names where !name.isShared && !moving.contains(name) {
                    moves.append(DatabaseMove(name, try sharedName(name)))
                }
            case .moveAllFromCloud:
                var taken: Set<PackageName> = []
                for name in names where name.isShared && !moving.contains(name) {
                    let target = try freeTitle(name.title, besides: taken)
                    taken.insert(target)
                    moves.append(DatabaseMove(name, target))
                }
            case .dropCopies:
                drops = Set(names.filter { $0.isShared && !moving.contains($0) }.map(\.description))
            case .ask(let question): events.append(.asks(question))
            case .reportReachable: events.append(.reachable(true))
            case .reportUnreachable: events.append(.reachable(false))
            }
        }
        try update { state in
            state.preference = preference
            state.moves += moves
            if preference.isOn == true { state.drops = [] }
            state.drops.formUnion(drops)
        }
    }

    /// Removes leftovers of interrupted work that no later work will use.
    func clean() throws {
        let used = state.moving.union(try scan().shared)
        for name in try files.names(in: .making) where !used.contains(name) { try files.remove(name, from: .making) }
        files.emptyTrash()
    }
}
