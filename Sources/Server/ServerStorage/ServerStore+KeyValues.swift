import CloudModel
import ContainerLog
import GRDB

/// Settings of programs, which do not count against an account's share: so a program can keep its settings where documents have used
/// everything up.
extension ServerStore {
    /// What an account's entries of settings alone may take before further ones count as everything else does: some hundred thousand writes.
    package static let keyValueAllowance = 64 << 20

    /// Whether an entry has only changes of key-value stores.
    static func isOfKeyValues(_ payload: [UInt8]) -> Bool {
        // What is not a batch has no meaning, and is no setting.
        guard let batch = try? ChangeBatch(decoding: payload), !batch.changes.isEmpty else { return false }
        return batch.changes.allSatisfy { if case .setValue = $0 { true } else { false } }
    }

    /// Takes so many bytes out of the allowance for settings. False where it has no room for them.
    static func takeFree(_ bytes: Int, of account: AccountID, _ db: Database) throws -> Bool {
        try db.execute(
            sql: "UPDATE account SET keyValueBytes = keyValueBytes + ?1 WHERE id = ?2 AND keyValueBytes + ?1 <= ?3",
            arguments: [bytes, account.value, keyValueAllowance])
        return db.changesCount > 0
    }

    static func giveBackFree(_ bytes: Int, of account: AccountID, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE account SET keyValueBytes = MAX(0, keyValueBytes - ?) WHERE id = ?",
            arguments: [bytes, account.value])
    }
}
