package import CloudModel

/// Containers: a name in an account, and the end of its log.
extension LogStore {
    package func containers(of account: AccountID) async throws -> [ContainerName] {
        let names = try await database.read { db in
            try db.values(String.self, "SELECT name FROM container WHERE account = ? ORDER BY name", [account.value])
        }
        return names.compactMap { ContainerName($0) }
    }

    /// Creates a container; does nothing if it exists. An account has at most ``maximumContainers``.
    package func createContainer(_ name: ContainerName, of account: AccountID) async throws {
        try await database.commit(of: account) { db in
            guard try Self.container(name, account, db) == nil else { return }
            let count = try db.value(Int.self, "SELECT COUNT(*) FROM container WHERE account = ?", [account.value])
            guard count ?? 0 < Self.maximumContainers else {
                throw StorageError(
                    .quota, "The account has reached the limit of \(Self.maximumContainers) containers.")
            }
            try db.execute("INSERT INTO container (account, name) VALUES (?, ?)", [account.value, name.text])
        }
        changes.changed(name, to: 0, of: account)
    }

    /// As many as a line of the change feed may name.
    package static let maximumContainers = 4_096

    /// Returns the number of a container and the end of its log; nil if this account has none of that name.
    static func container(
        _ name: ContainerName, _ account: AccountID, _ db: any StorageTransaction
    ) throws -> (id: Int64, sequence: UInt64)? {
        let row = try db.row(
            "SELECT id, sequence FROM container WHERE account = ? AND name = ?", [account.value, name.text])
        return try row.map { (try $0["id"], UInt64(clamping: try $0["sequence"] as Int64)) }
    }

    static func requireContainer(
        _ name: ContainerName, _ account: AccountID, _ db: any StorageTransaction
    ) throws -> (id: Int64, sequence: UInt64) {
        guard let container = try container(name, account, db) else { throw missing(name) }
        return container
    }

    static func missing(_ name: ContainerName) -> StorageError {
        StorageError(.notFound, "There is no container \(name) in this cloud.")
    }

    /// A container for the server's owner.
    package struct ListedContainer: Hashable, Sendable {
        package let name: String
        package let entries: UInt64
        /// The number of devices that have read beyond the log's end.
        package let devicesAhead: Int
    }

    package func containers(ofAccount name: String) async throws -> [ListedContainer] {
        try await database.read { db in
            let account = try AccountStore.requireAccount(named: name, db)
            let ahead = try AheadDevices.logs(db)
            return try db.rows("SELECT id, name, sequence FROM container WHERE account = ? ORDER BY name", [account])
                .map {
                    try ListedContainer(
                        name: $0["name"], entries: UInt64(clamping: $0["sequence"] as Int64),
                        devicesAhead: ahead[$0["id"]] ?? 0)
                }
        }
    }

    /// Returns an account's containers with devices that have read beyond the logs' ends.
    package func setBackContainers(of account: AccountID) async throws -> Set<ContainerName> {
        try await database.read { db in
            let names = try AheadDevices.logs(db).keys.compactMap { container in
                try db.value(
                    String.self, "SELECT name FROM container WHERE id = ? AND account = ?", [container, account.value])
            }
            return Set(names.compactMap { ContainerName($0) })
        }
    }

    func number(of name: ContainerName, _ account: AccountID) async throws -> Int64 {
        try await database.read { try Self.requireContainer(name, account, $0).id }
    }

    static func numbers(of account: Int64, _ db: any StorageTransaction) throws -> [Int64] {
        try db.values(Int64.self, "SELECT id FROM container WHERE account = ?", [account])
    }

    /// Returns the numbers of all containers.
    static func numbers(_ db: any StorageTransaction) throws -> [Int64] {
        try db.values(Int64.self, "SELECT id FROM container")
    }

    static func rename(_ container: Int64, to name: String, _ db: any StorageTransaction) throws {
        try db.execute("UPDATE container SET name = ? WHERE id = ?", [name, container])
    }

    /// Removes a container without contents.
    static func remove(_ container: Int64, _ db: any StorageTransaction) throws {
        try db.execute("DELETE FROM container WHERE id = ?", [container])
    }

    /// Removes up to `limit` entries of a container.
    ///
    /// - Returns: The number of removed entries, their cost to the account, and the cost of those of settings, which
    ///   counted against no share.
    static func removeEntries(
        of container: Int64, limit: Int, _ db: any StorageTransaction
    ) throws -> (count: Int, bytes: Int, free: Int) {
        let rows = try db.rows(
            """
            DELETE FROM entry WHERE container = ?1
                AND sequence IN (SELECT sequence FROM entry WHERE container = ?1 LIMIT ?2)
            RETURNING LENGTH(payload), isFree
            """, [container, limit])
        return try rows.reduce(into: (rows.count, 0, 0)) { sums, row in
            let cost = StorageCost.entry(length: try row[0])
            if try row[1] as Bool { sums.2 += cost } else { sums.1 += cost }
        }
    }
}
