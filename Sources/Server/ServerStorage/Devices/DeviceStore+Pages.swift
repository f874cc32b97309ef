import Basics

/// Devices as seen by their account, a page at a time.
extension DeviceStore {
    static let columns = """
        SELECT device.*, account.name AS accountName, (SELECT COUNT(*) FROM ahead WHERE ahead.device = device.id) AS logsAhead
        FROM device JOIN account ON account.id = device.account
        """

    /// Returns a page of an account's devices, ordered by number, and their total number.
    package func page(
        of account: AccountID, from offset: Int, limit: Int
    ) async throws -> (devices: [DeviceRecord], total: Int) {
        try await database.read { db in
            let total = try db.value(Int.self, "SELECT COUNT(*) FROM device WHERE account = ?", [account.value])
            let rows = try db.rows(
                "\(Self.columns) WHERE account = ? ORDER BY device.id LIMIT ? OFFSET ?", [account.value, limit, offset])
            let senders = try SenderStore.all(of: account.value, db)
            return (try rows.map { try DeviceRecord($0, senders) }, total ?? 0)
        }
    }

    /// Returns a device of an account; nil if the account has none with that number.
    package func device(_ number: Int64, of account: AccountID) async throws -> DeviceRecord? {
        try await database.read { db in
            try db.row("\(Self.columns) WHERE device.id = ? AND account = ?", [number, account.value])
                .map { try DeviceRecord($0, [:]) }
        }
    }

    /// Returns the names of devices by their numbers.
    package func names(of numbers: Set<Int64>) async throws -> [Int64: String] {
        try await database.read { db in
            var names: [Int64: String] = [:]
            for number in numbers {
                names[number] = try db.value(String.self, "SELECT name FROM device WHERE id = ?", [number])
            }
            return names
        }
    }
}

extension DeviceRecord {
    init(_ row: StorageRow, _ senders: [Int64: [DeviceSender]]) throws {
        try self.init(
            id: row["id"], account: row["accountName"], name: row["name"],
            created: Timestamp(seconds: row["created"]), seen: Timestamp(seconds: row["seen"]),
            isRevoked: (row["revoked"] as Int64?) != nil, isSuspended: (row["suspended"] as Int64?) != nil,
            isResetAsked: (row["resetAsked"] as Int64?) != nil, isAhead: (row["logsAhead"] as Int64) > 0,
            scope: DeviceScope(stored: row["scope"]),
            expires: (row["expires"] as Int64?).map { Timestamp(seconds: $0) }, senders: senders[row["id"]] ?? [])
    }
}
