import Foundation

/// An account's use, as recorded and as counted again at the same moment.
struct AccountSums: Hashable, Sendable, CustomStringConvertible {
    let account: Int64
    let recorded: Sum
    let counted: Sum

    struct Sum: Hashable, Sendable {
        /// Bytes counted against the account's share.
        let used: Int64
        /// Bytes of settings. They do not count against it.
        let keyValues: Int64
    }

    /// Nil for a nonexistent account.
    init?(of account: Int64, _ db: any StorageTransaction) throws {
        guard let row = try db.row("SELECT used, keyValueBytes FROM account WHERE id = ?", [account]) else {
            return nil
        }
        self.account = account
        recorded = Sum(used: try row[0], keyValues: try row[1])
        let chunks = try db.value(Int64.self, StorageCost.chunksOfAccount, [account]) ?? 0
        let counts = try [0, 1].map { try db.value(Int64.self, StorageCost.entriesOfAccount, [account, $0]) ?? 0 }
        let links = try db.value(Int64.self, StorageCost.linksOfAccount, [account]) ?? 0
        counted = Sum(used: chunks + counts[0] + links, keyValues: counts[1])
    }

    var isRight: Bool { recorded == counted }

    var description: String {
        recorded.used != counted.used
            ? "\(recorded.used) bytes are recorded, \(counted.used) are used"
            : "\(recorded.keyValues) bytes of settings are recorded, \(counted.keyValues) are used"
    }

    /// Records the counted sums. Runs in the transaction that counted them.
    func repair(_ db: any StorageTransaction) throws {
        try db.execute(
            "UPDATE account SET used = ?, keyValueBytes = ? WHERE id = ?", [counted.used, counted.keyValues, account])
    }
}
