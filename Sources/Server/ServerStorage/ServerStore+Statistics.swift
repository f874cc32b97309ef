import Foundation
import GRDB

/// What a server has, in numbers.
package struct ServerStatistics: Hashable, Sendable {
    package struct Account: Hashable, Sendable {
        package let id: Int64
        package let used: UInt64
        package let quota: UInt64?
        package let devices: Int
        package let containers: Int
        package let entries: UInt64
    }

    package let accounts: [Account]
    /// Bytes of the disk that are free, and of the database's files.
    package let freeBytes: UInt64
    package let databaseBytes: UInt64
}

extension ServerStore {
    package func statistics() async throws -> ServerStatistics {
        let accounts = try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, used, quota,
                        (SELECT COUNT(*) FROM device WHERE account = account.id AND revoked IS NULL) AS devices,
                        (SELECT COUNT(*) FROM container WHERE account = account.id) AS containers,
                        (SELECT COALESCE(SUM(sequence), 0) FROM container WHERE account = account.id) AS entries
                    FROM account ORDER BY id
                    """
            ).map { row in
                ServerStatistics.Account(
                    id: row["id"], used: UInt64(clamping: row["used"] as Int64),
                    quota: (row["quota"] as Int64?).map { UInt64(clamping: $0) }, devices: row["devices"],
                    containers: row["containers"], entries: UInt64(clamping: row["entries"] as Int64))
            }
        }
        return try await blocking { [directory] in
            let database = ["", "-wal"].reduce(0) { $0 + (fileSize(directory.database + $1) ?? 0) }
            return ServerStatistics(
                accounts: accounts, freeBytes: try directory.freeBytes(), databaseBytes: UInt64(database))
        }
    }
}
