public import GRDB

/// What an import changed in the program's tables.
public struct UbiquitousChanges: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case inserted, updated, deleted }

    public struct Row: Hashable, Sendable {
        public let table: String
        /// The columns of the primary key, in its order.
        public let key: [DatabaseValue]
        public let kind: Kind
    }

    /// A row that a constraint of this device's schema, such as a CHECK, does not accept. It is kept, and tried again at each import.
    public struct Refusal: Hashable, Sendable {
        public let table: String
        public let key: [DatabaseValue]
        /// SQLite's message.
        public let message: String
    }

    /// Is empty for what a baseline changed; see ``baseline``.
    public internal(set) var rows: [Row] = []
    public internal(set) var refused: [Refusal] = []
    /// How many files of transactions were read.
    public internal(set) var files = 0

    /// What happened if this device took a baseline, because it is new or was away for so long that files which it had not read were removed.
    /// Any row of the shared tables may have changed then.
    public internal(set) var baseline: Baseline?

    public struct Baseline: Hashable, Sendable {
        /// How many transactions this device had committed that the log did not have. They stay pending behind what the baseline has.
        public let pending: Int
    }

    init(files: Int = 0) { self.files = files }

    public var isEmpty: Bool { rows.isEmpty && refused.isEmpty && files == 0 && baseline == nil }
}
