/// Deletions. An edit unaware of a deletion beats it, and so does a child: its parent stays.
extension RecordFold {
    /// Deletes rows together, each with its key as known to the transaction's device.
    mutating func delete(_ keys: [RowID: RecordKey]) throws {
        var deleted: Set<RowID> = []
        var rows: [RowID: Record] = [:]
        for (id, key) in keys {
            guard let row = try store.row(id) else { continue }
            if case .deleted = row.place { continue }
            rows[id] = row
            if try knewAll(of: row, id, as: key) { deleted.insert(id) }
        }
        try keepParents(&deleted)
        for (id, var row) in rows.sorted(by: { $0.key < $1.key }) {
            let stamp = stamp(for: id, as: keys[id] ?? id.key)
            if deleted.contains(id) {
                row.place = .deleted(stamp)
                try put(row, id)
            } else {
                // The deleting device has to show the row again, even if only a child keeps it.
                touch(id)
                try store.lose(
                    LostValue(
                        row: id, column: nil, value: .null, stamp: stamp, winner: row.newest, reason: .deletionRefused))
            }
        }
    }

    private func knewAll(of row: Record, _ id: RowID, as key: RecordKey) throws -> Bool {
        guard try knew(of: row.created, id: id, as: key) else { return false }
        return try row.columns.values.allSatisfy { column in
            guard try knew(of: column.stamp, id: id, as: key) else { return false }
            return try column.beside.allSatisfy { try knew(of: $0.stamp, id: id, as: key) }
        }
    }

    /// Excludes rows referenced by a remaining live row.
    private func keepParents(_ deleted: inout Set<RowID>) throws {
        var isDone = false
        while !isDone {
            isDone = true
            for id in deleted where try store.children(of: id).contains(where: { !deleted.contains($0) }) {
                deleted.remove(id)
                isDone = false
            }
        }
    }
}

extension Record {
    /// The last transaction to write the row. If it wrote the row under two keys, the first of the columns counts.
    fileprivate var newest: RecordStamp {
        columns.sorted { $0.key < $1.key }.map(\.value.stamp).reduce(created) {
            $0.position < $1.position ? $1 : $0
        }
    }
}
