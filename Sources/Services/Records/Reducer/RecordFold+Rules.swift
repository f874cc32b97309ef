/// Table rules: parents exist, a natural key names a single row, and a unique value has a single holder.
extension RecordFold {
    /// Examines rows, and all affected rows in turn, until every live row complies with its table's rules. It ends: a
    /// row gets its former values back once, goes aside once, comes back from its deletion once, and can become another
    /// row only once.
    mutating func enforce(_ rows: Set<RowID>) throws {
        var pending = rows
        while !pending.isEmpty {
            let round = pending.sorted()
            pending = []
            for id in round { pending.formUnion(try examine(id)) }
        }
    }

    /// Returns the rows to examine next.
    private mutating func examine(_ id: RowID) throws -> Set<RowID> {
        guard let row = try store.row(id), row.isLive, let rules = try store.rules(of: id.table) else { return [] }
        if let next = try redirect(row, id, rules) { return next }
        for parent in row.parents(id: id, rules: rules) where parent != id {
            guard var found = try store.row(parent) else { return try yield(row, id, rules, .orphan(of: parent)) }
            switch found.place {
            case .live: continue
            case .aside: return try yield(row, id, rules, .orphan(of: parent))
            case .deleted(let deletion):
                try revive(&found, parent, deletion)
                try put(found, parent)
                return [parent, id]
            }
        }
        if let twin = try others(on: rules.unify, row, id, rules).first { return try unite(id, twin) }
        for columns in rules.uniques {
            guard let other = try others(on: columns, row, id, rules).first, let holder = try store.row(other) else {
                continue
            }
            let yields = try rank(row, id, rules) > rank(holder, other, rules)
            let next =
                yields
                ? try yield(row, id, rules, .clash(columns: columns, with: other.key))
                : try yield(holder, other, rules, .clash(columns: columns, with: id.key))
            return next.union([id, other])
        }
        return []
    }

    private func others(
        on columns: [RecordName], _ row: Record, _ id: RowID, _ rules: TableRules
    ) throws -> [RowID] {
        guard !columns.isEmpty, let values = row.values(of: columns, id: id, rules: rules) else { return [] }
        return try store.rows(matching: values, in: id.table, columns: columns).filter { $0 != id }
    }

    // MARK: Rows that cannot have what they claim

    /// The row of the higher rank yields: new rows to existing rows, and rows with changed values to unchanged rows.
    private struct Rank: Comparable {
        let state: Int
        let created: RecordPosition
        let id: RowID

        static func < (left: Rank, right: Rank) -> Bool {
            (left.state, left.created, left.id) < (right.state, right.created, right.id)
        }
    }

    private func rank(_ row: Record, _ id: RowID, _ rules: TableRules) throws -> Rank {
        let state = !wasLive(id, row) ? 2 : formerColumns(of: row, id, rules).isEmpty ? 0 : 1
        return Rank(state: state, created: row.created.position, id: id)
    }

    /// Returns the constrained columns changed by the transaction, with their former states.
    private func formerColumns(of row: Record, _ id: RowID, _ rules: TableRules) -> [RecordName: RecordColumn?] {
        guard let former = before[id] ?? nil, former.isLive else { return [:] }
        var columns: [RecordName: RecordColumn?] = [:]
        for name in rules.constrained where row.columns[name]?.value != former.columns[name]?.value {
            columns[name] = .some(former.columns[name])
        }
        return columns
    }

    /// Gives a row its former values back, or puts it aside if that does not help. A formerly live row stays live: its
    /// other columns and its children do not depend on the unavailable values.
    private mutating func yield(
        _ present: Record, _ id: RowID, _ rules: TableRules, _ reason: AsideReason
    ) throws -> Set<RowID> {
        var row = present
        let former = formerColumns(of: row, id, rules)
        if !former.isEmpty, reverted.insert(id).inserted {
            for (name, column) in former.sorted(by: { $0.key < $1.key }) {
                if let attempt = row.columns[name] { try lose(attempt, name, id, to: stamp, reason.lost) }
                row.columns[name] = column
            }
            try put(row, id)
            return [id]
        }
        row.place = .aside(reason)
        let children = try store.children(of: id)
        try put(row, id)
        return Set(children)
    }

    // MARK: Rows that stood aside

    /// Brings back rows whose reason to stand aside is gone, the oldest first.
    mutating func release() throws {
        var released: Set<RowID> = []
        while let id = try nextToRelease(except: released), var row = try store.row(id) {
            released.insert(id)
            row.place = .live
            try put(row, id)
            try enforce([id])
        }
    }

    private func nextToRelease(except released: Set<RowID>) throws -> RowID? {
        let ids = try store.asideRows()
        guard !ids.isEmpty else { return nil }
        let rows = try ids.filter { !released.contains($0) }.compactMap { id in try store.row(id).map { (id, $0) } }
        return try rows.sorted { ($0.1.created.position, $0.0) < ($1.1.created.position, $1.0) }
            .first { try isFree($0.1, $0.0) }?.0
    }

    private func isFree(_ row: Record, _ id: RowID) throws -> Bool {
        guard let rules = try store.rules(of: id.table) else { return true }
        for parent in row.parents(id: id, rules: rules) where parent != id {
            guard try store.row(resolved(parent))?.isLive == true else { return false }
        }
        return try rules.uniques.allSatisfy { try others(on: $0, row, id, rules).isEmpty }
    }
}

extension AsideReason {
    fileprivate var lost: LostValue.Reason {
        switch self {
        case .clash(_, let key): .clash(with: key)
        case .orphan(let parent): .orphan(of: parent)
        }
    }
}
