/// Settings of programs. They do not count against an account's share, so that programs can store them even when
/// documents have used up the share.
extension AccountStore {
    /// The bytes that an account's entries of settings may use before further entries count against its share: some
    /// hundred thousand writes.
    package static let keyValueAllowance = 64 << 20

    /// Takes `bytes` out of the allowance for settings. Returns false if the allowance has no room for them.
    static func takeFree(_ bytes: Int, of account: AccountID, _ db: any StorageTransaction) throws -> Bool {
        return try db.execute(
            "UPDATE account SET keyValueBytes = keyValueBytes + ?1 WHERE id = ?2 AND keyValueBytes + ?1 <= ?3",
            [bytes, account.value, keyValueAllowance]) > 0
    }

    static func giveBackFree(_ bytes: Int, of account: AccountID, _ db: any StorageTransaction) throws {
        try db.execute(
            """
            UPDATE account SET keyValueBytes = CASE WHEN keyValueBytes > ?1 THEN keyValueBytes - ?1 ELSE 0 END
            WHERE id = ?2
            """, [bytes, account.value])
    }
}
