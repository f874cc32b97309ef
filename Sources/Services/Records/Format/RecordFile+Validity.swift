/// The rules of the format, checked by its writer and its reader.
extension RecordFile {
    func check() throws(RecordFileError) {
        guard number > 0 else { throw .invalid("files count from 1") }
        guard deviceName.utf8.count <= Self.maximumDeviceNameBytes else { throw .tooLarge("the device's name") }
        guard !transactions.isEmpty else { throw .invalid("the file has no transactions") }
        guard transactions.count <= Self.maximumTransactions else {
            throw .tooLarge("\(transactions.count) transactions in a file")
        }
        for transaction in transactions { try transaction.check() }
    }
}

extension RecordTransaction {
    fileprivate func check() throws(RecordFileError) {
        for (one, next) in zip(rules, rules.dropFirst()) where one.table >= next.table {
            throw .invalid("the table \(next.table) has rules twice")
        }
        for rules in rules { try rules.check() }
        for (one, next) in zip(unions, unions.dropFirst()) where one.row >= next.row {
            throw .invalid("a row of \(next.row.table) became two others")
        }
        for (one, next) in zip(changes, changes.dropFirst()) where one.row >= next.row {
            throw .invalid("a row of \(next.row.table) changes twice")
        }
        for change in changes { try change.check() }
    }
}

extension TableRules {
    private static let maximumConstraints = 64

    func check() throws(RecordFileError) {
        guard RecordKey(key.map { _ in .integer(0) }) != nil, Set(key).count == key.count else {
            throw .invalid("the table \(table) has no usable primary key")
        }
        guard uniques.count <= Self.maximumConstraints, references.count <= Self.maximumConstraints else {
            throw .tooLarge("more than \(Self.maximumConstraints) constraints of the table \(table)")
        }
        let lists = uniques + references.map(\.columns)
        guard (lists + [unify]).allSatisfy({ $0.count <= RecordKey.maximumColumns && Set($0).count == $0.count }),
            lists.allSatisfy({ !$0.isEmpty })
        else { throw .invalid("a constraint of the table \(table) has no columns, too many, or one twice") }
        for (one, next) in zip(uniques, uniques.dropFirst()) where !one.lexicographicallyPrecedes(next) {
            throw .invalid("a constraint of the table \(table) is there twice")
        }
        for (one, next) in zip(references, references.dropFirst()) where one >= next {
            throw .invalid("a reference of the table \(table) is there twice")
        }
    }
}

extension RecordChange {
    fileprivate func check() throws(RecordFileError) {
        guard edits.count <= RecordFile.maximumColumns else { throw .tooLarge("\(edits.count) columns") }
        switch kind {
        case .insert: break
        case .update: guard !edits.isEmpty else { throw .invalid("a change of a row changes nothing") }
        case .delete: guard edits.isEmpty else { throw .invalid("a deletion sets columns") }
        case .resolve(let columns):
            guard !columns.isEmpty, columns.count <= RecordFile.maximumColumns, edits.isEmpty else {
                throw .invalid("a decision about no column, or one that sets columns")
            }
        }
        for edit in edits.values { try edit.check() }
    }
}

extension ColumnEdit {
    fileprivate func check() throws(RecordFileError) {
        switch self {
        case .set(let value), .offer(let value):
            guard value.isStorable else { throw .invalid("a number that SQLite does not store") }
        case .restored(let restored, let beside):
            guard ([restored] + beside).allSatisfy(\.value.isStorable) else {
                throw .invalid("a number that SQLite does not store")
            }
        case .add(let delta, let result):
            guard delta.isNumber, delta.isStorable, result.isStorable else {
                throw .invalid("a counter that grows by no number")
            }
        case .members(let adding, let removing, let result):
            guard adding.isDisjoint(with: removing), !adding.isEmpty || !removing.isEmpty, result.isStorable,
                adding.union(removing).allSatisfy({ SetText.canHold($0) })
            else { throw .invalid("members of a set that are added and removed at once, or are none") }
        }
    }
}

extension RecordValue {
    /// Whether SQLite stores exactly this value.
    var isStorable: Bool {
        guard case .real(let value) = self else { return true }
        return !value.isNaN && !(value == 0 && value.sign == .minus)
    }

    var isNumber: Bool {
        switch self {
        case .integer, .real: true
        case .null, .text, .blob: false
        }
    }
}
