import Basics

/// The shards of a log whose entries were found to follow each other, in the states of their folders at that time.
///
/// Entries never change. If another program puts an entry of a different history in the place of an earlier one, its
/// folder changes, but the last position may not show it.
struct CheckedShards {
    private struct Check {
        let folder: FileKey
        let last: UInt64
        let time: Timestamp
    }

    /// The pause between two checks of a shard, because each append changes the folder of the last shard.
    static let pause: Duration = .seconds(10)

    private var checks: [UInt64: Check] = [:]

    /// Returns whether a shard changed since its last check, or was checked up to an earlier entry only.
    ///
    /// - Parameter isUrgent: Whether the check must not wait for the end of the pause.
    func isDue(_ shard: UInt64, _ folder: FileKey, upTo last: UInt64, isUrgent: Bool, at now: Timestamp) -> Bool {
        guard let check = checks[shard] else { return true }
        guard check.folder != folder || check.last < last else { return false }
        // The clock may have been set back.
        return isUrgent || now < check.time || check.time.adding(Self.pause) <= now
    }

    /// - Parameter folder: The folder's state before the check.
    mutating func note(_ shard: UInt64, _ folder: FileKey, upTo last: UInt64, at now: Timestamp) {
        checks[shard] = Check(folder: folder, last: last, time: now)
    }
}
