public import GRDB
import Records

/// A complete row missing from its table, or not in it as committed by the devices.
///
/// It returns when the reason is gone. A program can bring it back earlier by freeing the value, inserting the parent,
/// or inserting the row again with the same key and a different value.
public struct AsideRow: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The row with `key` has the values of these unique columns.
        case valueTaken(columns: [String], key: [DatabaseValue])
        /// Its parent is missing or set aside.
        case parentMissing(table: String, key: [DatabaseValue])
        /// A constraint of this device's schema, such as a CHECK, refuses it; other devices may show
        /// it. SQLite's message.
        case refused(message: String)
    }

    public let table: String
    /// The primary key's columns, in its order.
    public let key: [DatabaseValue]
    /// All columns of this device's table, by their lower-case names.
    public let values: [String: DatabaseValue]
    /// The row's creator.
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
