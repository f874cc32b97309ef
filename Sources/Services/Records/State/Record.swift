/// A row as the folded log has it. It has the columns of all devices' schemas; each device shows those that its own schema has.
package struct Record: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case live
        /// A tombstone keeps its columns, so that an edit that did not know of the deletion brings the whole row back.
        case deleted(RecordStamp)
        /// The row is complete, but cannot stand in its table now.
        case aside(AsideReason)
    }

    /// The columns but those of the key.
    package var columns: [RecordName: RecordColumn]
    /// The transaction that made the row.
    package var created: RecordStamp
    package var place: Place

    package init(columns: [RecordName: RecordColumn] = [:], created: RecordStamp, place: Place = .live) {
        self.columns = columns
        self.created = created
        self.place = place
    }

    package var isLive: Bool { place == .live }

    package var isAside: Bool { if case .aside = place { true } else { false } }

    /// Returns the values of some columns, of which those of the key come from the row's id; nil if one is NULL or was never written.
    package func values(of names: [RecordName], id: RowID, rules: TableRules) -> [RecordValue]? {
        var values: [RecordValue] = []
        for name in names {
            guard let value = keyValue(of: name, id: id, rules: rules) ?? columns[name]?.value, value != .null else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    private func keyValue(of name: RecordName, id: RowID, rules: TableRules) -> RecordValue? {
        guard let place = rules.key.firstIndex(of: name), place < id.key.values.count else { return nil }
        return id.key.values[place]
    }
}

/// A column of a row.
package struct RecordColumn: Hashable, Sendable {
    package var value: RecordValue
    package var stamp: RecordStamp
    /// Values that lost and wait for a person's decision, oldest first (``ColumnEdit/offer(_:)``).
    package var beside: [Alternative]

    package struct Alternative: Hashable, Sendable {
        package let value: RecordValue
        package var stamp: RecordStamp

        package init(value: RecordValue, stamp: RecordStamp) {
            self.value = value
            self.stamp = stamp
        }
    }

    package init(value: RecordValue, stamp: RecordStamp, beside: [Alternative] = []) {
        self.value = value
        self.stamp = stamp
        self.beside = beside
    }
}

/// Why a row stands aside. It returns by itself when the reason is gone.
package enum AsideReason: Hashable, Sendable {
    /// Another row had these values first, and the columns are unique.
    case clash(columns: [RecordName], with: RecordKey)
    /// Its parent does not exist, or stands aside.
    case orphan(of: RowID)
}

/// The row that a key stands for since two rows became one.
package struct RecordAlias: Hashable, Sendable {
    /// The number of aliases after which a key is followed no further. No history comes near it; the rows of a baseline, which another device
    /// has written, may stand for each other.
    static let maximumChain = 10_000

    package let key: RecordKey
    /// The transaction that made them one. A device that had not applied it knew two rows.
    package let position: RecordPosition

    package init(key: RecordKey, position: RecordPosition) {
        self.key = key
        self.position = position
    }
}

/// Something that a device committed and that did not remain. It is kept for a while, so that a person can bring it back.
package struct LostValue: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// A later edit that did not know of it.
        case replaced
        /// Another row had the value of these unique columns first.
        case clash(with: RecordKey)
        /// The parent that it named cannot stand in its table.
        case orphan(of: RowID)
        /// Two rows became one, and the other's value was written later.
        case united
        /// A deletion, of a row that was edited or got children meanwhile. It has no column.
        case deletionRefused
    }

    package let row: RowID
    package let column: RecordName?
    package let value: RecordValue
    /// Who wrote it.
    package let stamp: RecordStamp
    /// The transaction after which it was gone.
    package let winner: RecordStamp
    package let reason: Reason

    package init(
        row: RowID, column: RecordName?, value: RecordValue, stamp: RecordStamp, winner: RecordStamp, reason: Reason
    ) {
        self.row = row
        self.column = column
        self.value = value
        self.stamp = stamp
        self.winner = winner
        self.reason = reason
    }
}
