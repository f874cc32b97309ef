/// What things count of an account's share, in bytes: what the disk pays for them, not what is in them. A file has a block at least, and
/// names and rows take room of their own.
package enum StorageCost {
    private static let block = 4_096
    private static let row = 200

    /// A chunk whose frame has so many bytes.
    package static func chunk(_ size: Int) -> Int { max(block, size) + row }

    /// An entry of a log.
    package static func entry(_ payload: [UInt8]) -> Int { entry(length: payload.count) }

    static func entry(length: Int) -> Int { length + row }

    /// Counts again what every account has, in SQL: the same rules.
    static let recount = """
        UPDATE account SET used =
            (SELECT COALESCE(SUM(MAX(\(block), chunk.size) + \(row)), 0) FROM chunk
                JOIN container ON container.id = chunk.container WHERE container.account = account.id)
            + (SELECT COALESCE(SUM(LENGTH(entry.payload) + \(row)), 0) FROM entry
                JOIN container ON container.id = entry.container WHERE container.account = account.id)
        """
}
