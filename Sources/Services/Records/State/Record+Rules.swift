extension TableRules {
    /// The sets of columns that must be unique, or by which rows are united.
    package var claims: [[RecordName]] { unify.isEmpty ? uniques : uniques + [unify] }
}

extension Record {
    /// Returns a reference's row; nil if any of its columns is NULL.
    package func parent(by reference: TableRules.Reference, id: RowID, rules: TableRules) -> RowID? {
        guard let values = values(of: reference.columns, id: id, rules: rules), let key = RecordKey(values) else {
            return nil
        }
        return RowID(table: reference.table, key: key)
    }

    /// Returns the row's parents.
    package func parents(id: RowID, rules: TableRules) -> [RowID] {
        rules.references.compactMap { parent(by: $0, id: id, rules: rules) }
    }
}
