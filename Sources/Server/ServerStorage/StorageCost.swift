/// The bytes that objects count against an account's share: their cost on the disk, not their contents. A file takes at
/// least one block, and names and rows take additional space.
package enum StorageCost {
    private static let block = 4_096
    private static let row = 200

    /// The cost of a chunk whose frame has `size` bytes.
    package static func chunk(_ size: Int) -> Int { max(block, size) + row }

    /// The cost of an entry of a log.
    package static func entry(_ payload: [UInt8]) -> Int { entry(length: payload.count) }

    static func entry(length: Int) -> Int { length + row }

    /// The cost of a published link.
    static let link = 500

    /// The cost of the links of an account.
    static let linksOfAccount = """
        SELECT CAST(\(link) * COUNT(*) AS BIGINT) FROM link JOIN container ON container.id = link.container
        WHERE container.account = ?
        """

    /// Adds the cost of links to every account's use.
    static let addLinks = """
        UPDATE account SET used = used + \(link) * (SELECT COUNT(*) FROM link
            JOIN container ON container.id = link.container WHERE container.account = account.id)
        """

    /// Recomputes the usage of every account, in SQL, by the same rules.
    static let recount = """
        UPDATE account SET used =
            (SELECT COALESCE(SUM(MAX(\(block), chunk.size) + \(row)), 0) FROM chunk
                JOIN container ON container.id = chunk.container WHERE container.account = account.id)
            + (SELECT COALESCE(SUM(LENGTH(entry.payload) + \(row)), 0) FROM entry
                JOIN container ON container.id = entry.container WHERE container.account = account.id)
        """

    /// The cost of an account's chunks, in SQL of both engines, by the same rules.
    static let chunksOfAccount = """
        SELECT CAST(SUM(CASE WHEN chunk.size > \(block) THEN chunk.size ELSE \(block) END + \(row)) AS BIGINT) FROM chunk
        JOIN container ON container.id = chunk.container WHERE container.account = ?
        """

    /// The cost of a container's entries, as counted against the account's share.
    static let entriesOfContainer = """
        SELECT CAST(SUM(LENGTH(payload) + \(row)) AS BIGINT) FROM entry WHERE container = ? AND isFree = 0
        """

    /// The cost of an account's entries; the second argument is whether those of settings, which count against no
    /// share.
    static let entriesOfAccount = """
        SELECT CAST(SUM(LENGTH(entry.payload) + \(row)) AS BIGINT) FROM entry
        JOIN container ON container.id = entry.container WHERE container.account = ? AND entry.isFree = ?
        """
}
