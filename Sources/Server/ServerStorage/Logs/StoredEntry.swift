import CloudModel

/// One entry of a log as the server's database has it.
struct StoredEntry: Sendable {
    let position: LogPosition
    let payload: [UInt8]
    /// When it arrived, in seconds since 1970 UTC; nil if that was not recorded.
    let arrived: Int64?

    var sequence: LogSequence { position.sequence }
}

/// Consecutive entries of a log.
struct StoredEntries: Sendable {
    let entries: [StoredEntry]
    /// When they were read, in seconds since 1970 UTC.
    let now: Int64
}
