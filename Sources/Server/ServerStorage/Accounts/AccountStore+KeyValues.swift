/// Settings of programs, which do not count against an account's share: so a program can keep its settings where documents have used
/// everything up.
extension AccountStore {
    /// What an account's entries of settings alone may take before further ones count as everything else does: some hundred thousand writes.
    package static let keyValueAllowance = 64 << 20

    /// Takes so many bytes out of the allowance for settings. False where it has no room for them.
    static func takeFree(_ bytes: Int, of account: AccountID, _ db: any StorageTransaction) throws -> Bool {
        return try db.execute(
            "UPDATE account SET keyValueBytes = keyValueBytes + ?1 WHERE id = ?2 AND keyValueBytes + ?1 <= ?3",
            [bytes, account.value, keyValueAllowance]) > 0
    }

    static func giveBackFree(_ bytes: Int, of account: AccountID, _ db: any StorageTransaction) throws {
        try db.execute(
            "UPDATE account SET keyValueBytes = MAX(0, keyValueBytes - ?) WHERE id = ?", [bytes, account.value])
    }
}
