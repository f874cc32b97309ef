/// A row in the folded log. It has the columns of all devices' schemas; each device shows those in its own schema.
package struct Record: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case live
        /// A tombstone keeps its columns, so that an edit unaware of the deletion brings the whole row back.
        case deleted(RecordStamp)
        /// The row is complete, but cannot stand in its table now.
        case aside(AsideReason)
    }

    /// The non-key columns.
    package var columns: [RecordName: RecordColumn]
    /// The transaction that created the row.
    package var created: RecordStamp
    package var place: Place

    package init(columns: [RecordName: RecordColumn] = [:], created: RecordStamp, place: Place = .live) {
        self.columns = columns
        self.created = created
        self.place = place
    }

    package var isLive: Bool { place == .live }

    package var isAside: Bool { if case .aside = place { true } else { false } }

    /// Returns some columns' values, with key columns from the row's id; nil if any is NULL or was never written.
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
    /// Losing values awaiting a person's decision, oldest first (``ColumnEdit/offer(_:)``).
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

/// Why a row stands aside. It returns when the reason is gone.
package enum AsideReason: Hashable, Sendable {
    /// Another row had these values first, and the columns are unique.
    case clash(columns: [RecordName], with: RecordKey)
    /// Its parent does not exist, or stands aside.
    case orphan(of: RowID)
}

/// A united row's current key.
package struct RecordAlias: Hashable, Sendable {
    /// The length at which following aliases stops. No history comes near it; aliases in another device's baseline may
    /// form a cycle.
    static let maximumChain = 10_000

    package let key: RecordKey
    /// The uniting transaction. To a device that had not applied it, there were two rows.
    package let position: RecordPosition

    package init(key: RecordKey, position: RecordPosition) {
        self.key = key
        self.position = position
    }
}

/// A committed value or deletion that did not remain. It is kept for a while, so that a person can bring it back.
package struct LostValue: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// A later edit unaware of it.
        case replaced
        /// Another row had the value of these unique columns first.
        case clash(with: RecordKey)
        /// The parent it named cannot stand in its table.
        case orphan(of: RowID)
        /// Two rows were united, and the other value was written later.
        case united
        /// A deletion, of a row edited or referenced meanwhile. It has no column.
        case deletionRefused
    }

    package let row: RowID
    package let column: RecordName?
    package let value: RecordValue
    /// Its author.
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
