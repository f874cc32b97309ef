public import GRDB
import Records

/// A row that is complete, and is not in its table as the devices have committed it.
///
/// It returns by itself when the reason is gone. A program can bring it back earlier: it frees the value, inserts the parent, or inserts the
/// row again with the same key and another value.
public struct AsideRow: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The row with `key` has the values of these columns, which are unique.
        case valueTaken(columns: [String], key: [DatabaseValue])
        /// Its parent is not there, or stands aside.
        case parentMissing(table: String, key: [DatabaseValue])
        /// A constraint of this device's schema, such as a CHECK, refuses it; other devices may show it. SQLite's message.
        case refused(message: String)
    }

    public let table: String
    /// The columns of the primary key, in its order.
    public let key: [DatabaseValue]
    /// All columns that this device's table has, by their names in lower case.
    public let values: [String: DatabaseValue]
    /// Who made the row.
    public let origin: WriteOrigin
    public let reason: Reason
}

extension AsideRow.Reason {
    init(_ reason: AsideReason) {
        switch reason {
        case .clash(let columns, let key):
            self = .valueTaken(columns: columns.map(\.description), key: key.databaseValues)
        case .orphan(let parent): self = .parentMissing(table: parent.table.description, key: parent.key.databaseValues)
        }
    }
}
