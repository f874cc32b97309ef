/// A table that devices share, and what is declared about its columns. Everything else (key, unique columns, parents) is read from the
/// table itself.
public struct UbiquitousTable: Hashable, Sendable {
    public let name: String
    /// Two rows that agree on these columns, none of them NULL, are one row.
    public var unify: [String]
    /// Columns in which additions of several devices are summed.
    public var counters: Set<String>
    /// Columns with a JSON array of texts and whole numbers, to which devices add members and from which they remove them.
    public var sets: Set<String>
    /// Columns that keep each of the values that devices wrote at the same time, until one of them is chosen.
    public var conflicts: Set<String>

    public init(
        _ name: String, unify: [String] = [], counters: Set<String> = [], sets: Set<String> = [],
        conflicts: Set<String> = []
    ) {
        self.name = name
        self.unify = unify
        self.counters = counters
        self.sets = sets
        self.conflicts = conflicts
    }
}
