package import Basics
import CloudModel
import GRDB

/// This device's changes not yet shown by its log: items with `pendingSince`, departures, resolved conflicts, keys of
/// key-value stores, and the batch being sent.
///
/// A change is recorded, then sent with a batch, and removed when the log shows the batch. Queries use an index and
/// never scan the tree. An undecodable row is left out: `ubiquity check` names it.
package struct PendingChanges: MetadataTable {
    let transaction: MetadataTransaction

    /// Returns items with changes before `time` not in the log yet, oldest first.
    package func items(before time: Timestamp, limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.pending, [time.nanoseconds, limit]).items
    }

    /// Returns items of a container behind `last` with changes to append and any needed bytes in the cloud; oldest
    /// change first.
    package func ready(
        in container: ContainerID, before time: Timestamp, after last: LocalItem? = nil, limit: Int
    ) throws -> [LocalItem] {
        try fetchReadable(
            transaction.local.hasPausedFolders() ? QueueQueries.readyOutsidePauses : QueueQueries.ready,
            Self.bounds(container, time, last) + [limit]
        ).items
    }

    /// Returns edited files of at least `size` bytes behind `last` with pending or running uploads; oldest edit first.
    package func announceable(
        in container: ContainerID, before time: Timestamp, from size: UInt64, after last: LocalItem? = nil, limit: Int
    ) throws -> [LocalItem] {
        try fetchReadable(
            transaction.local.hasPausedFolders() ? QueueQueries.announceableOutsidePauses : QueueQueries.announceable,
            Self.bounds(container, time, last) + [Int64(clamping: size), limit]
        ).items
    }

    private static func bounds(
        _ container: ContainerID, _ time: Timestamp, _ last: LocalItem?
    ) -> StatementValues {
        [
            last?.pendingSince?.nanoseconds ?? .min, Int64(bitPattern: last?.node.value ?? 0), time.nanoseconds,
            container.value,
        ]
    }

    /// Returns files with changes not yet shown by the log and bytes counted as uploaded.
    package func uploadedFiles(in container: ContainerID) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE pendingSince IS NOT NULL AND container = ? AND isEdited = 0 AND kind = 1 AND digest IS NOT NULL
            """, [container.value])
    }

    /// Returns the time of the oldest local change not in the log yet; ``Timestamp/zero`` if any must not wait to
    /// settle.
    package func oldest() throws -> Timestamp? {
        let item = try optionalNumber(QueueQueries.oldestPending)
        let departure = try optionalNumber(QueueQueries.oldestDeparture)
        let hasResolution = try number("SELECT EXISTS (SELECT 1 FROM resolution WHERE isSent = 0)") != 0
        let keyValue = try optionalNumber(QueueQueries.oldestKeyValue)
        return [item, departure, hasResolution ? 0 : nil, keyValue].compactMap(\.self).min().map(
            Timestamp.init(nanoseconds:))
    }

    /// Returns the time of the next change to the tree after `time` not in the log yet.
    package func next(after time: Timestamp) throws -> Timestamp? {
        let item = try optionalNumber(QueueQueries.nextPending, [time.nanoseconds])
        let departure = try optionalNumber(QueueQueries.nextDeparture, [time.nanoseconds])
        return [item, departure].compactMap(\.self).min().map(Timestamp.init(nanoseconds:))
    }

    /// Returns whether any change is not appended and confirmed yet; far cheaper than ``totals()``.
    package func hasAny() throws -> Bool {
        try number(
            """
            SELECT EXISTS (SELECT 1 FROM local WHERE pendingSince IS NOT NULL)
              OR EXISTS (SELECT 1 FROM departed) OR EXISTS (SELECT 1 FROM resolution)
              OR EXISTS (SELECT 1 FROM keyValuePending)
            """) != 0
    }

    /// Returns the number of items with unsent changes, and of the bytes to upload for them.
    package func totals() throws -> (items: Int, bytes: UInt64) {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: QueueQueries.pendingTotals))
        let departures =
            try number("SELECT count(*) FROM departed") + number("SELECT count(*) FROM resolution")
            + number("SELECT count(*) FROM keyValuePending")
        return (Int((row?[0] as Int64?) ?? 0) + Int(departures), UInt64(clamping: (row?[1] as Int64?) ?? 0))
    }

    /// Returns the number of changes to be appended without further action, excluding those of paused items.
    package func unpausedTotal() throws -> Int {
        let items = try number(
            """
            SELECT count(*) FROM local
            WHERE pendingSince IS NOT NULL AND isPaused = 0 AND NOT \(QueueQueries.isPaused("local.parent"))
            """)
        let others = try number(
            """
            SELECT (SELECT count(*) FROM departed WHERE isSent = 1 OR NOT \(QueueQueries.isPaused("departed.parent")))
              + (SELECT count(*) FROM resolution)
            """)
        return Int(items + others)
    }
}
