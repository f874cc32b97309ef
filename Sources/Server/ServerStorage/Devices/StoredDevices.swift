import Foundation

/// The rows of devices that have access. They are read for each request, and not kept: a device that was revoked by any process is
/// refused at its next request.
struct StoredDevices: Sendable {
    struct Device: Sendable {
        let device: SignedInDevice
        /// Of the token's secret.
        let hash: Data
        let seen: Int64
        let isSuspended: Bool
        /// Seconds since 1970 UTC; nil: never.
        let expires: Int64?
    }

    private let database: any StorageDatabase
    /// Nil where a query of its own costs less than sharing one.
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
        return try await database.readOnce { db in
            var found: [Int64: Device] = [:]
            try db.forEachRow(
                """
                SELECT device.id, account, identity, tokenHash, seen, resetAsked, suspended, scope, expires FROM device
                JOIN account ON account.id = device.account
                WHERE device.id IN (\(places)) AND revoked IS NULL
                """, arguments
            ) { row in
                let device = try SignedInDevice(
                    account: AccountID(row["account"]), device: row["id"], cloud: row["identity"],
                    isResetAsked: (row["resetAsked"] as Int64?) != nil, scope: DeviceScope(stored: row["scope"]))
                found[device.device] = try Device(
                    device: device, hash: row["tokenHash"], seen: row["seen"],
                    isSuspended: (row["suspended"] as Int64?) != nil, expires: row["expires"])
                return true
            }
            return found
        }
    }
}
