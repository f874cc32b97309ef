/// The known end of a log. Concurrent processes append at any time, so the log may be longer, but never shorter.
struct KnownEnd: Equatable, Sendable {
    /// The greatest number seen.
    private(set) var end: UInt64 = 0
    /// All entries up to this one, and their names, are durable.
    private(set) var durable: UInt64 = 0
    /// The greatest shard with a durable name whose predecessor's entry names are durable too.
    private(set) var shard: UInt64?

    mutating func saw(_ sequence: UInt64) { end = max(end, sequence) }

    mutating func synced(_ sequence: UInt64) {
        saw(sequence)
        durable = max(durable, sequence)
    }

    mutating func opened(_ shard: UInt64) { self.shard = max(self.shard ?? 0, shard) }
}
