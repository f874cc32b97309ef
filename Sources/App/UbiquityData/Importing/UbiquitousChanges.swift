public import GRDB

/// Changes to the program's tables by an import.
public struct UbiquitousChanges: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case inserted, updated, deleted }

    public struct Row: Hashable, Sendable {
        public let table: String
        /// The primary key's columns, in its order.
        public let key: [DatabaseValue]
        public let kind: Kind
    }

    /// A row violating a constraint of this device's schema, such as a CHECK. It is kept, and retried at each import.
    public struct Refusal: Hashable, Sendable {
        public let table: String
        public let key: [DatabaseValue]
        /// SQLite's message.
        public let message: String
    }

    /// Empty for changes by a baseline; see ``baseline``.
    public internal(set) var rows: [Row] = []
    public internal(set) var refused: [Refusal] = []
    /// The number of transaction files read.
    public internal(set) var files = 0

    /// Set if this device took a baseline, because it is new or was away until unread files were removed. Any row of
    /// the shared tables may have changed.
    public internal(set) var baseline: Baseline?

    public struct Baseline: Hashable, Sendable {
        /// The number of this device's transactions missing from the log. They stay pending behind the baseline.
        public let pending: Int
    }

    init(files: Int = 0) { self.files = files }

    public var isEmpty: Bool { rows.isEmpty && refused.isEmpty && files == 0 && baseline == nil }
}
