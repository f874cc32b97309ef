/// A value of a row, for display.
package struct DatabaseValueText: Codable, Hashable, Sendable {
    /// The storage class of SQLite.
    package enum Kind: String, Codable, Hashable, Sendable {
        case null, integer, real, text, blob

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .text
        }
    }

    /// Longer values are cut.
    package static let maximumBytes = 4_096

    package let kind: Kind
    /// A number in decimal, a text as it is, a blob in hexadecimal.
    package let text: String
    package let isCut: Bool

    package init(_ kind: Kind, _ text: String, isCut: Bool = false) {
        self.kind = kind
        self.text = text
        self.isCut = isCut
    }
}

/// The author device of a change, and the time by its clock.
package struct DatabaseOrigin: Codable, Hashable, Sendable {
    package let device: String
    package let isThisDevice: Bool
    package let time: WireTime

    package init(device: String, isThisDevice: Bool, time: WireTime) {
        self.device = device
        self.isThisDevice = isThisDevice
        self.time = time
    }
}

package struct DatabaseCandidate: Codable, Hashable, Sendable {
    package let value: DatabaseValueText
    package let origin: DatabaseOrigin

    package init(value: DatabaseValueText, origin: DatabaseOrigin) {
        self.value = value
        self.origin = origin
    }
}

/// A value replaced or refused by a device unaware of it.
package struct DatabaseLostValue: Codable, Hashable, Sendable {
    package let table: String
    package let key: [DatabaseValueText]
    /// Nil for a deletion.
    package let column: String?
    package let lost: DatabaseCandidate
    package let replacedBy: DatabaseOrigin
    /// Why, as words to follow the value.
    package let reason: String

    package init(
        table: String, key: [DatabaseValueText], column: String?, lost: DatabaseCandidate, replacedBy: DatabaseOrigin,
        reason: String
    ) {
        self.table = table
        self.key = key
        self.column = column
        self.lost = lost
        self.replacedBy = replacedBy
        self.reason = reason
    }
}

/// Requests the authors of a row's parts.
package struct DatabaseHistoryRequest: DaemonCall {
    package typealias Response = DatabaseHistoryResponse
    package static let verb = "databaseHistory"

    /// Nil for the only database of this device.
    package let name: String?
    package let container: String?
    package let table: String
    /// The columns of the primary key, in its order.
    package let key: [String]

    package init(name: String?, container: String? = nil, table: String, key: [String]) {
        self.name = name
        self.container = container
        self.table = table
        self.key = key
    }
}

package struct DatabaseHistoryResponse: CallResponse {
    package static let kind = "databaseHistory"

    package struct Column: Codable, Hashable, Sendable {
        package let name: String
        package let current: DatabaseCandidate
        /// Values beside it that wait for a decision.
        package let others: [DatabaseCandidate]

        package init(name: String, current: DatabaseCandidate, others: [DatabaseCandidate]) {
            self.name = name
            self.current = current
            self.others = others
        }
    }

    package let table: String
    package let key: [DatabaseValueText]
    package let created: DatabaseOrigin
    /// The origin of the row's deletion; nil if it is not deleted.
    package let deleted: DatabaseOrigin?
    /// Why the row is not in its table; nil if it is, or is deleted.
    package let aside: String?
    package let columns: [Column]
    package let lost: [DatabaseLostValue]

    package init(
        table: String, key: [DatabaseValueText], created: DatabaseOrigin, deleted: DatabaseOrigin?, aside: String?,
        columns: [Column], lost: [DatabaseLostValue]
    ) {
        self.table = table
        self.key = key
        self.created = created
        self.deleted = deleted
        self.aside = aside
        self.columns = columns
        self.lost = lost
    }
}

/// Lists possible decisions for the user.
package struct DatabaseReviewRequest: DaemonCall {
    package typealias Response = DatabaseReviewResponse
    package static let verb = "databaseReview"
    /// The maximum number sent of each list.
    package static let limit = 100

    package let name: String?
    package let container: String?

    package init(name: String?, container: String? = nil) {
        self.name = name
        self.container = container
    }
}

package struct DatabaseReviewResponse: CallResponse {
    package static let kind = "databaseReview"

    /// A column with several values.
    package struct Conflict: Codable, Hashable, Sendable {
        package let table: String
        package let key: [DatabaseValueText]
        package let column: String
        package let current: DatabaseCandidate
        package let others: [DatabaseCandidate]

        package init(
            table: String, key: [DatabaseValueText], column: String, current: DatabaseCandidate,
            others: [DatabaseCandidate]
        ) {
            self.table = table
            self.key = key
            self.column = column
            self.current = current
            self.others = others
        }
    }

    /// A row missing from its table.
    package struct Aside: Codable, Hashable, Sendable {
        package let table: String
        package let key: [DatabaseValueText]
        package let origin: DatabaseOrigin
        package let reason: String

        package init(table: String, key: [DatabaseValueText], origin: DatabaseOrigin, reason: String) {
            self.table = table
            self.key = key
            self.origin = origin
            self.reason = reason
        }
    }

    /// The name of the database.
    package let name: String
    package let conflicts: [Conflict]
    package let aside: [Aside]
    package let lost: [DatabaseLostValue]

    package init(name: String, conflicts: [Conflict], aside: [Aside], lost: [DatabaseLostValue]) {
        self.name = name
        self.conflicts = conflicts
        self.aside = aside
        self.lost = lost
    }
}

/// Keeps one of a column's several values, on all devices.
package struct ResolveDatabaseRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "resolveDatabase"

    package let name: String?
    package let container: String?
    package let table: String
    package let key: [String]
    package let column: String
    /// The device whose value is kept; nil for the current value, or a different one.
    package let device: String?
    /// A different value, as text.
    package let value: String?

    package init(
        name: String?, container: String? = nil, table: String, key: [String], column: String, device: String? = nil,
        value: String? = nil
    ) {
        self.name = name
        self.container = container
        self.table = table
        self.key = key
        self.column = column
        self.device = device
        self.value = value
    }
}
