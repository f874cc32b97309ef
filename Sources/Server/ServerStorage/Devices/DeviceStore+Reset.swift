import CloudModel

/// Resets of a device requested by its account's owner: a request for each known state of the device, since several may
/// share a sign-in.
extension DeviceStore {
    /// A state without contact for this many seconds does not keep a request open for the rest.
    private static let memory: Int64 = 86_400

    /// Requests that a device resets itself. The responses to the next requests of each of its states carry that
    /// request.
    ///
    /// - Parameter account: The required account of the device; nil for any.
    /// - Returns: False if no such device is signed in.
    package func askReset(of device: Int64, account: AccountID? = nil) async throws -> Bool {
        let now = now()
        return try await database.commit { db in
            let asked = try db.execute(
                "UPDATE device SET resetAsked = ?1 WHERE id = ?2 AND revoked IS NULL AND (?3 IS NULL OR account = ?3)",
                [now, device, account?.value])
            guard asked > 0 else { return false }
            try db.execute("UPDATE sender SET resetAsked = ? WHERE device = ?", [now, device])
            return true
        }
    }

    /// Records that a state of the device begins to reset itself. The request is over once all states in use have
    /// begun.
    package func confirmReset(of device: SignedInDevice) async throws {
        try await database.commit(of: device.account) { db in
            let number = device.device
            try db.execute(
                "UPDATE sender SET resetAsked = NULL WHERE device = ? AND id = ?",
                [number, device.sender.map { Int64(bitPattern: $0.value) }])
            let isOpen = try db.exists(
                """
                SELECT 1 FROM sender WHERE device = ?1 AND resetAsked IS NOT NULL
                    AND lastSeen >= (SELECT MAX(lastSeen) FROM sender WHERE device = ?1) - ?2
                """, [number, Self.memory])
            guard !isOpen else { return }
            try db.execute("UPDATE sender SET resetAsked = NULL WHERE device = ?", [number])
            try db.execute("UPDATE device SET resetAsked = NULL WHERE id = ?", [number])
        }
    }
}
