package import CloudModel

/// Which chunks a collection may remove.
package struct CollectionPolicy: Hashable, Sendable {
    /// For the versions offered by devices.
    package let retention: Retention

    package static let standard = CollectionPolicy(retention: .standard)

    package init(retention: Retention) { self.retention = retention }

    /// Returns the time after which dropped contents are kept. Times are in seconds since 1970 UTC.
    func keptSince(_ now: Int64) -> Int64 { now - retention.seconds }

    /// Returns the time after which touched chunks are kept, whether an entry names them or not.
    ///
    /// - Parameter mayContinue: Whether a document is announced whose upload can still be completed.
    func touchedSince(_ now: Int64, mayContinue: Bool) -> Int64 {
        now - (mayContinue ? UploadGrace.announced : UploadGrace.seconds)
    }
}

/// The result of a collection.
package struct CollectionReport: Hashable, Sendable {
    package internal(set) var chunks = 0
    package internal(set) var bytes: UInt64 = 0
    /// Files without a row, left by a crash.
    package internal(set) var strayFiles = 0
    package internal(set) var containers = 0
    /// Skipped containers, each with the reason.
    package internal(set) var skipped: [Int64: String] = [:]
    /// Whether the collection ended early because a backup was under way.
    package internal(set) var gaveWay = false
    /// Whether nothing was done because another process is collecting.
    package internal(set) var isElsewhere = false

    package init() {}
}
