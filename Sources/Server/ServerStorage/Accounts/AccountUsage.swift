import Basics

/// An account's use of its share, in bytes.
struct AccountUsage {
    /// The share; nil if the account has no individual share.
    let quota: UInt64?
    let used: UInt64

    /// - Parameter row: A row with the columns `quota` and `used` of an account.
    init(_ row: StorageRow) throws {
        quota = try (row["quota"] as Int64?).map { UInt64(clamping: $0) }
        used = UInt64(clamping: try row["used"] as Int64)
    }

    /// - Parameter slack: How far the account may exceed its share.
    /// - Throws: `quota` if `bytes` more would exceed the account's share.
    func reserve(_ bytes: Int, slack: UInt64 = 0) throws {
        guard let quota, used + UInt64(max(0, bytes)) > quota + slack else { return }
        throw StorageError(
            .quota,
            """
            The account's quota of \(ByteCount(quota)) is used up, or nearly. Deleted documents count, too: `ubiquity deleted --purge` \
            removes them for good. Or ask the server's owner for more.
            """
        )
    }
}
