/// What a collection may take.
package struct CollectionPolicy: Hashable, Sendable {
    /// How long contents stay that were replaced or deleted, in days: for the versions that devices offer.
    package var keepDays: Int64
    /// How long a chunk stays that no entry refers to, since a device last put it or asked for it, in days: an upload may take as long.
    package var graceDays: Int64

    package static let standard = CollectionPolicy(keepDays: 30, graceDays: 7)

    /// A day of grace at least: what uploads count on is noted to the hour only.
    package init(keepDays: Int64, graceDays: Int64) {
        self.keepDays = max(0, keepDays)
        self.graceDays = max(1, graceDays)
    }

    /// Contents that were dropped after this are kept; times in seconds since 1970 UTC.
    func keptSince(_ now: Int64) -> Int64 { now - keepDays * 86_400 }
    /// Chunks that were touched after this are kept.
    func touchedSince(_ now: Int64) -> Int64 { now - graceDays * 86_400 }
}

/// What a collection did.
package struct CollectionReport: Hashable, Sendable {
    package internal(set) var chunks = 0
    package internal(set) var bytes: UInt64 = 0
    /// Files without a row, left by a crash.
    package internal(set) var strayFiles = 0
    package internal(set) var containers = 0
    /// Containers that were left alone, each with why.
    package internal(set) var skipped: [Int64: String] = [:]
    /// A backup was under way, and the collection ended before its time.
    package internal(set) var gaveWay = false

    package init() {}
}
