import CloudModel
import Foundation

/// The rows of devices with access. They are read for each request, and not cached: a device revoked by any process is
/// refused at its next request.
struct StoredDevices: Sendable {
    struct Device: Sendable {
        let account: AccountID
        let number: Int64
        let cloud: String?
        let scope: DeviceScope
        let isResetAsked: Bool
        /// The states that have not begun the requested reset. Empty if no state was known at the request: then any may
        /// begin.
        var asked: Set<DeviceID> = []
        /// Of the token's secret.
        let hash: Data
        let seen: Int64
        let isSuspended: Bool
        /// Whether its account is disabled.
        let isDisabled: Bool
        /// Seconds since 1970 UTC; nil: never.
        let expires: Int64?

        func device(_ sender: DeviceID?) -> SignedInDevice {
            let isAsked = isResetAsked && (asked.isEmpty || sender.map { asked.contains($0) } ?? false)
            return SignedInDevice(
                account: account, device: number, cloud: cloud, sender: sender, isResetAsked: isAsked, scope: scope)
        }
    }

    private let database: any StorageDatabase
    /// Nil if a separate query is cheaper than sharing.
    private let shared: BatchedLookup<Int64, Device>?

    init(_ database: any StorageDatabase) {
        self.database = database
        shared = database.isRemote ? BatchedLookup { try await Self.read($0, from: database) } : nil
    }

    /// Returns the row of a device; nil if there is none or it was revoked.
    func value(of device: Int64) async throws -> Device? {
        if let shared { return try await shared.value(of: device) }
        return try await Self.read([device], from: database)[device]
    }

    private static func read(_ devices: [Int64], from database: any StorageDatabase) async throws -> [Int64: Device] {
        let count = BatchedLookup<Int64, Device>.places(for: devices.count)
        let arguments = devices + Array(repeating: devices[0], count: count - devices.count)
        let places = Array(repeating: "?", count: count).joined(separator: ", ")
        var found = try await database.readOnce { db in
            var found: [Int64: Device] = [:]
            try db.forEachRow(
                """
                SELECT device.id, account, identity, tokenHash, seen, resetAsked, suspended, scope, expires, disabled
                FROM device
                JOIN account ON account.id = device.account
                WHERE device.id IN (\(places)) AND revoked IS NULL
                """, arguments
            ) { row in
                let device = try Device(
                    account: AccountID(row["account"]), number: row["id"], cloud: row["identity"],
                    scope: DeviceScope(stored: row["scope"]), isResetAsked: (row["resetAsked"] as Int64?) != nil,
                    hash: row["tokenHash"], seen: row["seen"], isSuspended: (row["suspended"] as Int64?) != nil,
                    isDisabled: (row["disabled"] as Int64?) != nil, expires: row["expires"])
                found[device.number] = device
                return true
            }
            return found
        }
        for number in found.filter({ $0.value.isResetAsked }).keys {
            found[number]?.asked = try await asked(of: number, in: database)
        }
        return found
    }

    private static func asked(of device: Int64, in database: any StorageDatabase) async throws -> Set<DeviceID> {
        try await database.readOnce { db in
            let ids = try db.values(
                Int64.self, "SELECT id FROM sender WHERE device = ? AND resetAsked IS NOT NULL", [device])
            return Set(ids.map { DeviceID(UInt64(bitPattern: $0)) })
        }
    }
}
