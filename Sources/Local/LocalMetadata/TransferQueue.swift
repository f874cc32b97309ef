package import Basics
import CloudModel
import GRDB

/// Files with contents to be uploaded, downloaded or evicted.
///
/// Queries use an index and never scan the tree. An undecodable row is left out: `ubiquity check` names it.
package struct TransferQueue: MetadataTable {
    let transaction: MetadataTransaction

    /// Returns files whose download was requested, most urgent first; not announced files, whose bytes are not in the
    /// cloud yet.
    package func wanted(limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.wanted, [limit]).items
    }

    /// Returns files of at most `size` bytes to be downloaded while there is plenty of space.
    package func wantedWhenSpace(upTo size: UInt64, limit: Int) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.wantedWhenSpace, [Int64(clamping: size), limit]).items
    }

    /// Returns the number of requested downloads, without those waiting only for space.
    package func wantedTotal() throws -> Int {
        Int(try number("SELECT count(*) FROM local WHERE wanted > 0 AND wanted > \(DownloadPriority.whenSpace)"))
    }

    /// Returns whether a download of the item or of its descendants was requested and has not ended. Scans the wanted
    /// files, not the possibly very large folder.
    package func isAnyWanted(below ancestor: NodeID) throws -> Bool {
        let nodes = try Int64.fetchCursor(
            db.cachedStatement(
                sql: "SELECT node FROM local WHERE wanted > 0 AND wanted > \(DownloadPriority.whenSpace)"))
        while let node = try nodes.next() {
            if try transaction.local.isInside(NodeID(UInt64(bitPattern: node)), ancestor) { return true }
        }
        return false
    }

    /// Requests a file's missing or outdated bytes, or those of every file below a folder.
    ///
    /// - Returns: The number of files, and of their bytes.
    package func want(_ item: LocalItem, priority: UInt8) throws -> (items: Int, bytes: UInt64) {
        var result: (items: Int, bytes: UInt64) = (0, 0)
        try transaction.local.forEach(below: item) { file in
            guard file.kind == .file, try !file.isMaterialised || transaction.isStale(file) else { return }
            result.items += 1
            result.bytes = result.bytes.saturatingSum(file.size)
            guard file.wanted < priority else { return }
            var wanted = file
            wanted.wanted = priority
            wanted.downloadError = nil
            try transaction.local.update(wanted)
        }
        return result
    }

    /// Returns settled edited files, oldest edit first.
    package func uploadable(
        before time: Timestamp, sizes: ClosedRange<UInt64>, limit: Int
    ) throws -> [LocalItem] {
        try fetchReadable(
            transaction.local.hasPausedFolders() ? QueueQueries.uploadableOutsidePauses : QueueQueries.uploadable,
            [time.nanoseconds, Int64(clamping: sizes.lowerBound), Int64(clamping: sizes.upperBound), limit]
        ).items
    }

    /// Returns files open for writing when the process ended.
    package func writing() throws -> [LocalItem] {
        try fetchReadable(QueueQueries.writing, []).items
    }

    /// Returns files behind `last` not open for writing and with bytes to upload, oldest edit first.
    package func edited(after last: LocalItem?, limit: Int) throws -> [LocalItem] {
        let time = last?.pendingSince?.nanoseconds ?? .min
        let node = last.map { Int64(bitPattern: $0.node.value) } ?? 0
        return try fetchReadable(QueueQueries.edited, [time, node, limit]).items
    }

    /// Returns items whose last transfer failed, newest first.
    package func failed(limit: Int) throws -> [LocalItem] {
        try fetchReadable(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE uploadError IS NOT NULL OR downloadError IS NOT NULL ORDER BY node DESC LIMIT ?
            """, [limit]
        ).items
    }

    /// Returns some files whose last download failed and was not requested again, in no order.
    package func failedDownloads(limit: Int) throws -> [LocalItem] {
        try fetchAll(
            """
            SELECT \(LocalItem.selection) FROM local
            WHERE (uploadError IS NOT NULL OR downloadError IS NOT NULL) AND downloadError IS NOT NULL AND wanted = 0
            ORDER BY random() LIMIT ?
            """, [limit])
    }

    /// Returns clean, unpinned files with bytes on this device, least recently used first.
    package func evictable(limit: Int, offset: Int = 0) throws -> [LocalItem] {
        try fetchReadable(QueueQueries.evictable, [limit, offset]).items
    }

    /// Returns the bytes of all files wholly or partly on this device.
    package func presentBytes() throws -> UInt64 {
        UInt64(clamping: try number(QueueQueries.presentBytes))
    }

    /// Records when these files were last opened. Their rows stay in memory, being the likeliest to be opened again.
    package func setUsed(_ times: [NodeID: Timestamp]) throws {
        for (node, time) in times {
            let known = memory.rows?[node]
            try run(
                "UPDATE local SET used = ? WHERE node = ?", [time.nanoseconds, Int64(bitPattern: node.value)])
            guard var known else { continue }
            known.used = time
            memory.rows?.wrote(known)
        }
    }
}
