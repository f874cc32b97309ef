/// A table shared by devices, and declarations about its columns. Everything else (key, unique columns, parents) is
/// read from the table itself.
public struct UbiquitousTable: Hashable, Sendable {
    public let name: String
    /// Two rows with equal values in these columns, none of them NULL, are the same row.
    public var unify: [String]
    /// Columns in which additions of several devices are summed.
    public var counters: Set<String>
    /// Columns with a JSON array of texts and whole numbers, as a set: devices add and remove members.
    public var sets: Set<String>
    /// Columns that keep all values written concurrently by devices, until one of them is chosen.
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
