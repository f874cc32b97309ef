/// One transaction being folded.
///
/// Its changes are made first, then its deletions, and then the rows that they touched are examined against the rules of their tables, as
/// SQLite does with deferred constraints. Before the transaction all live rows comply; ``RecordFold/enforce(_:)`` makes them comply again.
struct RecordFold<Store: RecordStore> {
    var store: Store
    let stamp: RecordStamp
    /// What the transaction's device had applied.
    let base: RecordPosition
    private(set) var touched: Set<RowID> = []
    /// The touched rows as they were before the transaction; a row that was not there has the value nil.
    var before: [RowID: Record?] = [:]
    /// Rows whose constrained columns have their former values again.
    var reverted: Set<RowID> = []

    /// How often each was made.
    var redirections: [Redirection: Int] = [:]
    /// The rows that were others on the transaction's device, by the row that they were.
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

    /// Takes over the rules of a table, and returns its live rows, which have to be examined by them.
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

    /// Marks a row that the transaction leaves as it is, and that its device may show otherwise.
    mutating func touch(_ id: RowID) { touched.insert(id) }

    /// Whether the row was live before the transaction.
    func wasLive(_ id: RowID, _ row: Record) -> Bool {
        guard let former = before[id] else { return row.isLive }
        return former?.isLive ?? false
    }

    /// Returns the row that an id stands for.
    func resolved(_ id: RowID) throws -> RowID { try store.resolved(id) }

    /// Returns the row that a change concerns, and the key under which its device knew it.
    private func located(_ row: RowID) throws -> (RowID, RecordKey) {
        let id = try resolved(row)
        guard try !isThere(id) else { return (id, row.key) }
        // Each row is a source of one other, so this ends, unless they go in a circle: then each is visited once.
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

    /// Whether the device that wrote the transaction knew of what `stamp` did to the row `id`, which it knows under `key`.
    func knew(of other: RecordStamp, id: RowID, as key: RecordKey) throws -> Bool {
        guard other.device == stamp.device || other.position <= base else { return false }
        let via = other.via ?? id.key
        // Two keys are one row only to a device that has applied the transactions that made them one.
        return try via == key || keyThen(of: via, id.table) == keyThen(of: key, id.table)
    }

    /// Returns the key of the row that a key stood for when the device wrote the transaction.
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

    /// The stamp of this transaction's changes of the row `id`, which its device knows under `key`.
    func stamp(for id: RowID, as key: RecordKey) -> RecordStamp {
        var stamp = stamp
        stamp.via = key == id.key ? nil : key
        return stamp
    }
}
