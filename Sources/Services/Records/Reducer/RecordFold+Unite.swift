/// Uniting two rows.
extension RecordFold {
    /// Unites two live rows with the same natural key. The older row stays, and the newer row's key becomes an alias of
    /// its key. Returns the rows to examine next: the remaining row, and the removed row's children, still to be
    /// redirected.
    mutating func unite(_ one: RowID, _ two: RowID) throws -> Set<RowID> {
        guard let first = try store.row(one), let second = try store.row(two) else { return [] }
        let isOlder = (first.created.position, one) < (second.created.position, two)
        return isOlder ? try merge(second, two, into: one) : try merge(first, one, into: two)
    }

    /// Replaces keys of united rows in the columns referring to them. Returns nil if there are none.
    mutating func redirect(_ row: Record, _ id: RowID, _ rules: TableRules) throws -> Set<RowID>? {
        for reference in rules.references {
            guard let parent = row.parent(by: reference, id: id, rules: rules) else { continue }
            let target = try resolved(parent)
            guard target != parent, mayRedirect(id, reference, to: target) else { continue }
            return try redirect(row, id, rules, Dictionary(zip(reference.columns, target.key.values)) { $1 })
        }
        return nil
    }

    /// Two references in the same column may want different values, forever. The row then goes aside, as its parent is
    /// missing.
    private mutating func mayRedirect(_ id: RowID, _ reference: TableRules.Reference, to target: RowID) -> Bool {
        let redirection = Redirection(row: id, reference: reference, target: target)
        redirections[redirection, default: 0] += 1
        return redirections[redirection, default: 0] <= 4
    }

    private mutating func redirect(
        _ present: Record, _ id: RowID, _ rules: TableRules, _ values: [RecordName: RecordValue]
    ) throws -> Set<RowID> {
        var row = present
        for (name, value) in values { row.columns[name]?.value = value }
        let key = RecordKey(
            id.key.values.enumerated().map { place, value in
                rules.key.indices.contains(place) ? values[rules.key[place]] ?? value : value
            })
        guard let key, key != id.key else {
            try put(row, id)
            return [id]
        }
        return try merge(row, id, into: resolved(RowID(table: id.table, key: key)))
    }

    /// Moves a row to a new key. If that row exists, each column's later value counts, and the earlier value is kept as
    /// lost.
    private mutating func merge(_ row: Record, _ id: RowID, into target: RowID) throws -> Set<RowID> {
        guard target != id else { return [] }
        let children = try store.children(of: id)
        let moved = row.known(as: id.key)
        if var present = try store.row(target) {
            if case .deleted(let deletion) = present.place { try revive(&present, target, deletion) }
            present.place = .live
            for (name, column) in moved.columns.sorted(by: { $0.key < $1.key }) {
                present.columns[name] = try later(present.columns[name], column, name, target)
            }
            try put(present, target)
        } else {
            try put(moved, target)
            // The row existed under its former key, so reverting restores its state from before the transaction.
            if let former = before[id] { before[target] = former?.known(as: id.key) }
        }
        try put(nil, id)
        try store.setAlias(id, to: RecordAlias(key: target.key, position: stamp.position))
        return Set(children + [target])
    }

    private mutating func later(
        _ one: RecordColumn?, _ two: RecordColumn, _ name: RecordName, _ id: RowID
    ) throws -> RecordColumn {
        guard let one else { return two }
        var (winner, loser) = one.stamp.position < two.stamp.position ? (two, one) : (one, two)
        try lose(loser, name, id, to: stamp, .united)
        winner.beside += loser.beside
        return winner
    }
}

/// A new value for a row's reference, because the referenced row became another.
struct Redirection: Hashable {
    let row: RowID
    let reference: TableRules.Reference
    let target: RowID
}

extension Record {
    /// Returns the row for a new key, with stamps recording its former key.
    fileprivate func known(as key: RecordKey) -> Record {
        var row = self
        row.created.via = created.via ?? key
        for name in columns.keys {
            row.columns[name]?.stamp.via = columns[name]?.stamp.via ?? key
            for place in columns[name]?.beside.indices ?? 0..<0 {
                row.columns[name]?.beside[place].stamp.via = columns[name]?.beside[place].stamp.via ?? key
            }
        }
        return row
    }
}
