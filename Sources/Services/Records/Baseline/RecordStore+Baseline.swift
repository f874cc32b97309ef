extension RecordStore {
    /// Restores a piece of a baseline. The tables' rules have to be set before.
    ///
    /// - Throws: The store's errors, and ``RecordFileError`` for an item violating a rule required for folding.
    package mutating func restore(_ item: BaselineItem) throws {
        switch item {
        case .row(let id, let record): try put(record, id)
        case .alias(let id, let alias): try restore(id, alias)
        case .lost(let value): try lose(value)
        }
    }

    private mutating func restore(_ id: RowID, _ alias: RecordAlias) throws {
        var (end, steps) = (RowID(table: id.table, key: alias.key), 0)
        // The key may already be an alias, so the chain is followed to its end.
        while end != id, steps < RecordAlias.maximumChain, let next = try self.alias(of: end) {
            end = RowID(table: id.table, key: next.key)
            steps += 1
        }
        // A cycle of aliases would be followed forever.
        guard end != id, steps < RecordAlias.maximumChain else {
            throw RecordFileError.damaged("rows of a baseline became each other")
        }
        try setAlias(id, to: alias)
    }
}
