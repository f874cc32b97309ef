import CloudModel

/// An entry of a log as stored in the server's database.
struct StoredEntry: Sendable {
    let position: LogPosition
    let payload: [UInt8]
    /// When it arrived, in seconds since 1970 UTC; nil if not recorded.
    let arrived: Int64?

    var sequence: LogSequence { position.sequence }
}

/// Consecutive entries of a log.
struct StoredEntries: Sendable {
    let entries: [StoredEntry]
    /// When they were read, in seconds since 1970 UTC.
    let now: Int64
}
