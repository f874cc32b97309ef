/// Prepares a database restored to an earlier moment for serving.
///
/// Devices notice by their positions if they have seen more than the database has. Anything revoked, withdrawn or used
/// since that moment must not become valid again, and the database cannot know it: so sign-in codes, recovery codes,
/// browser sessions, passkeys and the marks of owners end, and devices and links are suspended until the owner confirms
/// them.
struct RestoredAccess: Sendable {
    /// Whether devices, links and passkeys work without being confirmed.
    let trustsDevices: Bool

    /// The lost database may have assigned these numbers since that moment. They are skipped, because logs identify
    /// devices by number.
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
        try AccountStore.removeOwners(db)
        try DeviceStore.suspendAll(db)
        try LinkStore.suspendAll(db)
    }
}

extension ServerStore {
    /// Prepares this server's database for serving after its engine's own tools restored it to an earlier moment. No
    /// process may serve meanwhile. Doing it twice does no harm.
    ///
    /// - Parameter trustsDevices: Whether devices, links and passkeys of that moment work without being confirmed.
    package func markRestored(trustsDevices: Bool) async throws {
        // The generation beside the database is newer than the database's; this reverses that.
        try await generations.look()
        let access = RestoredAccess(trustsDevices: trustsDevices)
        try await database.commit { try access.renew($0) }
    }
}
