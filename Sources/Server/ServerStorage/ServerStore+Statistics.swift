import Foundation

/// Statistics of a server.
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
    /// Free bytes of the disk; nil for chunks in a bucket.
    package let freeBytes: UInt64?
    /// Bytes of the database's files.
    package let databaseBytes: UInt64
}

extension ServerStore {
    package func statistics() async throws -> ServerStatistics {
        let accounts = try await accounts.statistics()
        let free = try await chunks.objects.freeBytes()
        return try await threads.blocking { [directory] in
            let database = ["", "-wal"].reduce(0) { $0 + (fileSize(directory.database + $1) ?? 0) }
            return ServerStatistics(
                accounts: accounts, freeBytes: free, databaseBytes: UInt64(database))
        }
    }
}
