import CloudModel

/// Resets that the owner of an account requests of a device: of each of its states that is known then, since several may use one sign-in.
extension DeviceStore {
    /// A state that has not been in contact for this many seconds does not keep a request open for the others.
    private static let memory: Int64 = 86_400

    /// Requests that a device resets itself. The responses to the next requests of each of its states carry that request.
    ///
    /// - Parameter account: The account that the device has to be of; nil for any.
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

    /// Records that a state of the device begins to reset itself. The request is over once all states that are in use have begun.
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
