import CloudModel
import Records

/// All commits, kept apart from the merge: at the end each write has to be current, in the history, aside, or replaced
/// or deleted by a transaction that knew it.
struct RecordLedger {
    struct Entry {
        let device: DeviceID
        let changes: [RecordChange]
        /// The transaction's knowledge, and its place in the log.
        let base: RecordPosition
        let unions: [RowUnion]
        var position = RecordPosition.start

        init(device: DeviceID, changes: [RecordChange], base: RecordPosition, unions: [RowUnion]) {
            (self.device, self.changes, self.base, self.unions) = (device, changes, base, unions)
        }

        /// Returns the row, now `id`, that the entry deletes.
        func deleted(_ id: RowID, _ records: DictionaryRecords) -> RowID? {
            changes.lazy.filter { $0.kind == .delete }.flatMap { identities(of: $0.row) }
                .first { records.resolved($0) == id }
        }

        /// Returns a row's possible identities in the log's order: itself, and those that had become it on the device.
        func identities(of row: RowID) -> [RowID] {
            var found = [row]
            for next in 0... {
                guard next < found.count else { break }
                let id = found[next]
                found += unions.filter { $0.row.table == id.table && $0.key == id.key && !found.contains($0.row) }
                    .map(\.row)
            }
            return found
        }
    }

    private(set) var entries: [Entry] = []

    mutating func add(_ changes: [RecordChange], by device: DeviceID, knowing base: RecordPosition, unions: [RowUnion])
    {
        entries.append(Entry(device: device, changes: changes, base: base, unions: unions))
    }

    /// Looks up the transactions' places in the log. A device's transactions are there in the order of its commits.
    mutating func place(_ cloud: RecordCloud) {
        var order = RecordFileOrder()
        for entry in cloud.allFiles { order.note(entry.file.number, of: entry.file.device, version: entry.version) }
        var open = Dictionary(grouping: entries.indices) { entries[$0].device }.mapValues { $0[...] }
        while let place = order.next, let file = cloud.file(place.number, of: place.device) {
            for number in file.transactions.indices {
                guard let index = open[place.device]?.popFirst() else { continue }
                entries[index].position = RecordPosition(
                    version: place.version, file: place.number, place: UInt32(number))
            }
            order.advance()
        }
    }

    func problem(in records: DictionaryRecords) -> String? {
        for entry in entries {
            guard entry.position != .start else { return "a transaction of \(entry.device) is not in the log" }
            for change in entry.changes {
                let problems = entry.identities(of: change.row).map {
                    problem(of: RecordChange($0, change.kind, edits: change.edits), entry, records)
                }
                if let problem = problems.first ?? nil, problems.allSatisfy({ $0 != nil }) {
                    return "\(change.row.text) of device \(entry.device.value) at \(entry.position.version): \(problem)"
                }
            }
        }
        return counterProblem(in: records)
    }

    private func problem(of change: RecordChange, _ entry: Entry, _ records: DictionaryRecords) -> String? {
        let id = records.resolved(change.row)
        guard let row = records.row(id) else { return "the row is gone" }
        switch change.kind {
        case .resolve: return nil
        case .delete:
            if case .deleted = row.place { return nil }
            // A second deletion of a deleted row is refused together with the first.
            let isReported = records.lost.contains {
                $0.reason == .deletionRefused && records.resolved($0.row) == id
                    && ($0.stamp.position >= entry.position || $0.winner.position >= entry.position)
            }
            return isReported || isMadeAgain(id, after: entry, records) ? nil : "its deletion was dropped"
        case .insert, .update:
            if case .deleted(let deletion) = row.place, !knewAll(deletion, of: row, id, records) {
                return "a transaction deleted it that did not know it"
            }
        }
        for (name, edit) in change.edits {
            switch edit {
            // No user of the simulation puts a cloud back.
            case .add, .members, .restored: continue
            case .set(let value), .offer(let value):
                guard !isThere(value, name, row, id, entry, records), !isReplaced(change.row, name, entry, records)
                else { continue }
                return "\(name) = \(value.text) is nowhere"
            }
        }
        return nil
    }

    /// Whether a value is current, beside the current value, or in the history.
    private func isThere(
        _ value: RecordValue, _ name: RecordName, _ row: Record, _ id: RowID, _ entry: Entry,
        _ records: DictionaryRecords
    ) -> Bool {
        if let column = row.columns[name] {
            if column.stamp.position == entry.position { return true }
            // Counters and sets grow from written values.
            if name == RecordSchema.balance || name == RecordSchema.members { return true }
            if column.value == value { return true }
            if column.beside.contains(where: { $0.stamp.position == entry.position }) { return true }
        }
        return records.lost.contains {
            $0.column == name && $0.stamp.position == entry.position && records.resolved($0.row) == id
        }
    }

    /// Whether a transaction that knew the entry wrote the column, or decided about it.
    private func isReplaced(
        _ row: RowID, _ name: RecordName?, _ entry: Entry, _ records: DictionaryRecords
    ) -> Bool {
        let id = records.resolved(row)
        return entries.contains { later in
            guard later.position > entry.position, later.device == entry.device || later.base >= entry.position else {
                return false
            }
            return later.changes.contains { change in
                let isSame = later.identities(of: change.row).contains {
                    records.resolved($0) == id && knewTogether($0, row, later, records)
                }
                guard isSame else { return false }
                switch change.kind {
                case .delete: return false
                case .resolve(let columns): return name.map(columns.contains) ?? false
                case .insert where wasDeleted(id, between: entry, later, records): return true
                case .insert, .update: return name.map { change.edits[$0] != nil } ?? true
                }
            }
        }
    }

    /// Whether an insert created a new row, without the deleted row's columns.
    private func wasDeleted(_ id: RowID, between one: Entry, _ two: Entry, _ records: DictionaryRecords) -> Bool {
        entries.contains {
            $0.position > one.position && $0.position < two.position && $0.deleted(id, records) != nil
        }
    }

    /// Whether the entry's device knew that two rows are one.
    private func knewTogether(_ one: RowID, _ two: RowID, _ entry: Entry, _ records: DictionaryRecords) -> Bool {
        let ends = [one, two].map { row in
            var row = row
            while let alias = records.aliases[row], alias.position <= entry.base {
                row = RowID(table: row.table, key: alias.key)
            }
            return row
        }
        return ends[0] == ends[1]
    }

    /// Whether the row was recreated by a transaction that knew this deletion, or an earlier deletion of the same row.
    private func isMadeAgain(_ id: RowID, after entry: Entry, _ records: DictionaryRecords) -> Bool {
        entries.contains { deletion in
            guard deletion.position <= entry.position, let row = deletion.deleted(id, records) else { return false }
            return isReplaced(row, nil, deletion, records)
        }
    }

    /// Whether the deleting transaction knew every write to the row.
    private func knewAll(_ deletion: RecordStamp, of row: Record, _ id: RowID, _ records: DictionaryRecords) -> Bool {
        guard let deleting = entries.first(where: { $0.position == deletion.position }) else { return false }
        guard deleting.deleted(id, records) != nil else { return false }
        return row.columns.values.allSatisfy {
            $0.stamp.device == deleting.device || $0.stamp.position <= deleting.base
        }
    }

    /// Adds up the counters of rows that were created once and stayed themselves.
    private func counterProblem(in records: DictionaryRecords) -> String? {
        let changes = entries.sorted { $0.position < $1.position }.flatMap(\.changes)
        for (id, changes) in Dictionary(grouping: changes, by: \.row) where id.table == RecordSchema.account {
            guard changes.filter({ $0.kind == .insert }).count == 1, records.alias(of: id) == nil else { continue }
            var sum: Int64 = 0
            for change in changes {
                switch change.edits[RecordSchema.balance] {
                case .add(.integer(let delta), _): sum += delta
                case .set(.integer(let value)) where change.kind == .insert: sum += value
                default: continue
                }
            }
            guard let balance = records.row(id)?.columns[RecordSchema.balance]?.value, balance != .integer(sum) else {
                continue
            }
            return "\(id.text): the balance is \(balance.text), and all that was added is \(sum)"
        }
        return nil
    }
}

extension DictionaryRecords {
    func resolved(_ id: RowID) -> RowID {
        var id = id
        while let alias = alias(of: id) { id = RowID(table: id.table, key: alias.key) }
        return id
    }

    /// The first violation of the tables' rules by the rows; nil if they comply. Computed without the store's index.
    var violation: String? {
        var holders: [[RecordName]: [[RecordValue]: RowID]] = [:]
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) where row.isLive {
            guard let rules = rules[id.table] else { return "\(id.text) has no rules" }
            for parent in row.parents(id: id, rules: rules) where rows[parent]?.isLive != true {
                return "\(id.text) has no parent \(parent.text)"
            }
            for columns in rules.claims {
                guard let values = row.values(of: columns, id: id, rules: rules) else { continue }
                if let other = holders[[id.table] + columns]?[values] { return "\(id.text) equals \(other.text)" }
                holders[[id.table] + columns, default: [:]][values] = id
            }
        }
        return nil
    }
}
