/// Which chunks a collection may remove.
package struct CollectionPolicy: Hashable, Sendable {
    /// How many days replaced or deleted contents stay, for the versions that devices offer.
    package var keepDays: Int64
    /// How many days a chunk that no entry refers to stays after a device last put it or queried it: an upload may take that long.
    package var graceDays: Int64

    package static let standard = CollectionPolicy(keepDays: 30, graceDays: 7)

    /// The grace is at least a day, because the use by uploads is recorded only to the hour.
    package init(keepDays: Int64, graceDays: Int64) {
        self.keepDays = max(0, keepDays)
        self.graceDays = max(1, graceDays)
    }

    /// Returns the time after which dropped contents are kept. Times are in seconds since 1970 UTC.
    func keptSince(_ now: Int64) -> Int64 { now - keepDays * 86_400 }
    /// Returns the time after which touched chunks are kept.
    func touchedSince(_ now: Int64) -> Int64 { now - graceDays * 86_400 }
}

/// The result of a collection.
package struct CollectionReport: Hashable, Sendable {
    package internal(set) var chunks = 0
    package internal(set) var bytes: UInt64 = 0
    /// Files without a row, left by a crash.
    package internal(set) var strayFiles = 0
    package internal(set) var containers = 0
    /// Containers that were skipped, each with the reason.
    package internal(set) var skipped: [Int64: String] = [:]
    /// Whether the collection ended early because a backup was under way.
    package internal(set) var gaveWay = false
    /// Whether nothing was done because another process collects.
    package internal(set) var isElsewhere = false

    package init() {}
}
