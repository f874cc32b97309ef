extension TableRules {
    /// The sets of columns on which rows may not agree, or by which they become one.
    package var claims: [[RecordName]] { unify.isEmpty ? uniques : uniques + [unify] }
}

extension Record {
    /// Returns the row that a reference names; nil if one of its columns is NULL.
    package func parent(by reference: TableRules.Reference, id: RowID, rules: TableRules) -> RowID? {
        guard let values = values(of: reference.columns, id: id, rules: rules), let key = RecordKey(values) else {
            return nil
        }
        return RowID(table: reference.table, key: key)
    }

    /// Returns the rows that the row refers to.
    package func parents(id: RowID, rules: TableRules) -> [RowID] {
        rules.references.compactMap { parent(by: $0, id: id, rules: rules) }
    }
}
