package import Basics
import CloudModel
import GRDB

import struct Foundation.Data

/// What is to be done, found by index: nothing here scans the tree. A row that cannot be read is left out: `ubiquity check` names it.
extension MetadataTransaction {
    /// Items with changes made before `time` that are not in the log yet, oldest first.
    package func pending(before time: Timestamp, limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.pending, [time.nanoseconds, limit]).items
    }

    /// When the oldest local change was made that is not in the log yet; ``Timestamp/zero`` if one must not wait to settle.
    package func oldestPending() throws -> Timestamp? {
        let item = try optionalNumber(QueueQueries.oldestPending)
        let departure = try optionalNumber(QueueQueries.oldestDeparture)
        let resolution = try number("SELECT count(*) FROM resolution WHERE isSent = 0") > 0 ? Int64(0) : nil
        let keyValue = try optionalNumber(QueueQueries.oldestKeyValue)
        return [item, departure, resolution, keyValue].compactMap(\.self).min().map(Timestamp.init(nanoseconds:))
    }

    /// When the next change after `time` was made to the tree that is not in the log yet.
    package func nextPending(after time: Timestamp) throws -> Timestamp? {
        let item = try optionalNumber(QueueQueries.nextPending, [time.nanoseconds])
        let departure = try optionalNumber(QueueQueries.nextDeparture, [time.nanoseconds])
        return [item, departure].compactMap(\.self).min().map(Timestamp.init(nanoseconds:))
    }

    /// Whether any change is not appended and confirmed yet; far cheaper than ``pendingTotals()``.
    package func isAnythingPending() throws -> Bool {
        try number(
            """
            SELECT EXISTS (SELECT 1 FROM local WHERE pendingSince IS NOT NULL)
              OR EXISTS (SELECT 1 FROM departed) OR EXISTS (SELECT 1 FROM resolution)
              OR EXISTS (SELECT 1 FROM keyValuePending)
            """) != 0
    }

    /// Number of items with unsent changes, and the bytes that are to be uploaded for them.
    package func pendingTotals() throws -> (items: Int, bytes: UInt64) {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: QueueQueries.pendingTotals))
        let departures =
            try number("SELECT count(*) FROM departed") + number("SELECT count(*) FROM resolution")
            + number("SELECT count(*) FROM keyValuePending")
        return (Int((row?[0] as Int64?) ?? 0) + Int(departures), UInt64(clamping: (row?[1] as Int64?) ?? 0))
    }

    /// Files whose download was asked for, most urgent first; not those that were only announced, whose bytes are nowhere yet.
    package func wanted(limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.wanted, [limit]).items
    }

    /// Files of at most `size` bytes that are to be downloaded while there is plenty of space.
    package func wantedWhenSpace(upTo size: UInt64, limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.wantedWhenSpace, [Int64(clamping: size), limit]).items
    }

    /// Number of downloads that were asked for, without those that only wait for space.
    package func wantedTotal() throws -> Int {
        Int(try number("SELECT count(*) FROM local WHERE wanted > 0 AND wanted > \(DownloadPriority.whenSpace)"))
    }

    /// Files that were open for writing when the process ended.
    package func writing() throws -> [LocalItem] {
        try fetchReadable(QueueQueries.writing, []).items
    }

    /// Files at rest whose bytes the cloud is to get, oldest edit first, those behind `last`.
    package func edited(after last: LocalItem?, limit: Int) throws -> [LocalItem] {
        let time = last?.pendingSince?.nanoseconds ?? .min
        let node = last.map { Int64(bitPattern: $0.node.value) } ?? 0
        return try fetchReadable(QueueQueries.edited, [time, node, limit]).items
    }

    /// Clean, unpinned files with bytes here, least recently used first.
    package func evictable(limit: Int, offset: Int = 0) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.evictable, [limit, offset]).items
    }

    /// Bytes of all files that are whole or partly here.
    package func presentBytes() throws -> UInt64 {
        UInt64(clamping: try number(QueueQueries.presentBytes))
    }

    /// Notes when these files were last opened.
    package func setUsed(_ times: [NodeID: Timestamp]) throws {
        for (node, time) in times {
            try run(
                "UPDATE local SET used = ? WHERE node = ?", [time.nanoseconds, Int64(bitPattern: node.value)])
        }
    }
}

extension MetadataTransaction {
    /// Items of a container with changes to append whose bytes, if they need any, are in the cloud; oldest change first, those
    /// behind `last`.
    package func ready(
        in container: ContainerID, before time: Timestamp, after last: LocalItem? = nil, limit: Int
    ) throws -> [LocalItem] {
        try fetchReadable(
            hasPausedFolders() ? QueueQueries.readyOutsidePauses : QueueQueries.ready,
            Self.bounds(container, time, last) + [limit]
        ).items
    }

    /// Edited files of at least `size` bytes, on their way to the cloud or waiting for it; oldest edit first, those behind `last`.
    package func announceable(
        in container: ContainerID, before time: Timestamp, from size: UInt64, after last: LocalItem? = nil, limit: Int
    ) throws -> [LocalItem] {
        try fetchReadable(
            hasPausedFolders() ? QueueQueries.announceableOutsidePauses : QueueQueries.announceable,
            Self.bounds(container, time, last) + [Int64(clamping: size), limit]
        ).items
    }

    private static func bounds(
        _ container: ContainerID, _ time: Timestamp, _ last: LocalItem?
    ) -> StatementArguments {
        [
            last?.pendingSince?.nanoseconds ?? .min, Int64(bitPattern: last?.node.value ?? 0), time.nanoseconds,
            container.value,
        ]
    }

    /// Edited files that have settled, oldest edit first.
    package func uploadable(
        before time: Timestamp, sizes: ClosedRange<UInt64>, limit: Int
    ) throws -> [LocalItem] {
        try fetchReadable(
            hasPausedFolders() ? QueueQueries.uploadableOutsidePauses : QueueQueries.uploadable,
            [time.nanoseconds, Int64(clamping: sizes.lowerBound), Int64(clamping: sizes.upperBound), limit]
        ).items
    }
}

extension MetadataTransaction {
    /// Items whose last transfer failed, the newest first.
    package func failed(limit: Int) throws -> [LocalItem] {
        try fetchReadable(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE uploadError IS NOT NULL OR downloadError IS NOT NULL ORDER BY node DESC LIMIT ?
            """, [limit]
        ).items
    }

    /// Some of the files whose last download failed and that were not requested since, in no order.
    package func failedDownloads(limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE (uploadError IS NOT NULL OR downloadError IS NOT NULL) AND downloadError IS NOT NULL AND wanted = 0
            ORDER BY random() LIMIT ?
            """, [limit])
    }
}
