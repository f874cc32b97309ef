/// A transaction being folded.
///
/// Its changes are applied first, then its deletions, and then the rows touched are examined against their tables'
/// rules, like SQLite's deferred constraints. Before the transaction all live rows comply; ``RecordFold/enforce(_:)``
/// restores that.
struct RecordFold<Store: RecordStore> {
    var store: Store
    let stamp: RecordStamp
    /// The transactions already applied by the transaction's device.
    let base: RecordPosition
    private(set) var touched: Set<RowID> = []
    /// The touched rows as they were before the transaction; nil for a nonexistent row.
    var before: [RowID: Record?] = [:]
    /// Rows whose constrained columns are reverted to their former values.
    var reverted: Set<RowID> = []

    /// The number of times each was applied.
    var redirections: [Redirection: Int] = [:]
    /// The rows united on the transaction's device, by the remaining row.
    private var sources: [RowID: [RowID]] = [:]

    init(store: consuming Store, stamp: RecordStamp, base: RecordPosition) {
        self.store = store
        self.stamp = stamp
        self.base = base
    }

    mutating func run(_ transaction: RecordTransaction) throws {
        var affected: Set<RowID> = []
        for rules in transaction.rules { affected.formUnion(try declare(rules)) }
        for union in transaction.unions {
            sources[RowID(table: union.row.table, key: union.key), default: []].append(union.row)
        }
        var deletions: [RowID: RecordKey] = [:]
        for change in transaction.changes {
            let (id, key) = try located(change.row)
            switch change.kind {
            case .insert: try insert(change, id, as: key)
            case .update: try update(change, id, as: key)
            case .delete: deletions[id] = key
            case .resolve(let columns): try decide(columns, id, as: key)
            }
        }
        try delete(deletions)
        try enforce(affected.union(touched))
        try release()
    }

    /// Takes over a table's rules, and returns its live rows for examination.
    private mutating func declare(_ rules: TableRules) throws -> [RowID] {
        if let present = try store.rules(of: rules.table) {
            guard rules.version >= present.version, rules != present else { return [] }
        }
        try store.setRules(rules)
        return try store.liveRows(of: rules.table)
    }

    // MARK: Rows

    mutating func put(_ row: Record?, _ id: RowID) throws {
        if before[id] == nil { before[id] = .some(try store.row(id)) }
        try store.put(row, id)
        touched.insert(id)
    }

    /// Marks a row unchanged by the transaction, but possibly shown differently by its device.
    mutating func touch(_ id: RowID) { touched.insert(id) }

    /// Whether the row was live before the transaction.
    func wasLive(_ id: RowID, _ row: Record) -> Bool {
        guard let former = before[id] else { return row.isLive }
        return former?.isLive ?? false
    }

    /// Returns an id's current row.
    func resolved(_ id: RowID) throws -> RowID { try store.resolved(id) }

    /// Returns a change's row, and its key as known to the device.
    private func located(_ row: RowID) throws -> (RowID, RecordKey) {
        let id = try resolved(row)
        guard try !isThere(id) else { return (id, row.key) }
        // Each row is the source of a single row, so this ends, except for cycles: then each is visited once.
        var (pending, visited) = (sources[row] ?? [], Set([row]))
        while let source = pending.popLast() {
            guard visited.insert(source).inserted else { continue }
            let found = try resolved(source)
            if try isThere(found) { return (found, source.key) }
            pending += sources[source] ?? []
        }
        return (id, row.key)
    }

    private func isThere(_ id: RowID) throws -> Bool {
        guard let row = try store.row(id) else { return false }
        if case .deleted = row.place { return false }
        return true
    }

    // MARK: What the transaction's device knew

    /// Whether the transaction's device knew of the change `stamp` to the row `id`, known to it as `key`.
    func knew(of other: RecordStamp, id: RowID, as key: RecordKey) throws -> Bool {
        guard other.device == stamp.device || other.position <= base else { return false }
        let via = other.via ?? id.key
        // Two keys are the same row only to a device that has applied the uniting transactions.
        return try via == key || keyThen(of: via, id.table) == keyThen(of: key, id.table)
    }

    /// Returns the key that a key stood for at the time of the device's transaction.
    private func keyThen(of key: RecordKey, _ table: RecordName) throws -> RecordKey {
        var (key, steps) = (key, 0)
        while steps < RecordAlias.maximumChain, let alias = try store.alias(of: RowID(table: table, key: key)),
            alias.position <= base
        {
            key = alias.key
            steps += 1
        }
        return key
    }

    /// The stamp of this transaction's changes to the row `id`, known to its device as `key`.
    func stamp(for id: RowID, as key: RecordKey) -> RecordStamp {
        var stamp = stamp
        stamp.via = key == id.key ? nil : key
        return stamp
    }
}
