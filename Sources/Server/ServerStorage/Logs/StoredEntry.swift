import CloudModel
import Cryptography
import Foundation

/// One entry of a log as the server's database has it.
struct StoredEntry: Sendable {
    let sequence: LogSequence
    let payload: [UInt8]
    /// When it arrived, in seconds since 1970 UTC; nil if that was not recorded.
    let arrived: Int64?

    /// Identifies the entry. The time is part of it: after a log was replaced by a backup's, a device may append the same bytes at the same
    /// position again, behind other entries.
    var digest: Data {
        var hash = SHA256()
        withUnsafeBytes(of: (arrived ?? .min).littleEndian) { hash.update($0) }
        hash.update(payload)
        return Data(hash.finish())
    }
}

/// Consecutive entries of a log.
struct StoredEntries: Sendable {
    let entries: [StoredEntry]
    /// When they were read, in seconds since 1970 UTC.
    let now: Int64
}
