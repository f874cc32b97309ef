/// Prepares a database for serving that was restored to an earlier moment.
///
/// Devices notice by their positions if they have seen more than the database has. Anything that was revoked, withdrawn or used since that
/// moment must not become valid again, and the database cannot know it: so sign-in codes, recovery codes, browser sessions and passkeys
/// end, and devices and links are suspended until the owner confirms them.
struct RestoredAccess: Sendable {
    /// Whether devices, links and passkeys work without being confirmed.
    let trustsDevices: Bool

    /// Numbers that the lost database may have assigned since that moment are not assigned again, because a log names devices by them.
    private static let skippedNumbers: Int64 = 10_000

    func renew(_ db: any StorageTransaction) throws {
        for table in ["device", "link", "session", "passkey"] {
            try db.skipNumbers(of: table, to: db.lastNumber(of: table) + Self.skippedNumbers)
        }
        try AccountStore.withdrawAllCodes(db)
        try SessionStore.endAll(db)
        try SecretStore.removeAll(db)
        try GenerationWatch.accept(db)
        guard !trustsDevices else { return }
        try SessionStore.removeAllPasskeys(db)
        try DeviceStore.suspendAll(db)
        try LinkStore.suspendAll(db)
    }
}

extension ServerStore {
    /// Prepares this server's database for serving after it was restored to an earlier moment by its engine's own tools. No process may
    /// serve meanwhile. To do it twice does no harm.
    ///
    /// - Parameter trustsDevices: Whether devices, links and passkeys of that moment work without being confirmed.
    package func markRestored(trustsDevices: Bool) async throws {
        // What lies beside the database is newer: from now on it is older again.
        try await generations.look()
        let access = RestoredAccess(trustsDevices: trustsDevices)
        try await database.commit { try access.renew($0) }
    }
}
