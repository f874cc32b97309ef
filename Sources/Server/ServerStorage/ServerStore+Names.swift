import GRDB

extension ServerStore {
    /// What an account is called; nil for one that is gone.
    package func name(of account: AccountID) async throws -> String? {
        try await database.read { db in
            try String.fetchOne(db, sql: "SELECT name FROM account WHERE id = ?", arguments: [account.value])
        }
    }
}
