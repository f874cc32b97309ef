package import Basics

/// Signs of a server's data having gone back to an earlier state.
package struct SetBack: Hashable, Sendable {
    /// The sign found by the server itself; nil: none.
    package let database: Database?
    /// The number of logs lacking entries read by a device.
    package let logs: Int

    package struct Database: Hashable, Sendable {
        /// When the server noticed it.
        package let noted: Timestamp
        /// The generation reached by the database, and the generation to which it went back.
        package let from: UInt64
        package let to: UInt64
    }

    package var isEmpty: Bool { database == nil && logs == 0 }

    /// A message for the owner, without names; nil without a sign.
    package var message: String? {
        if let database { return database.message }
        guard logs > 0 else { return nil }
        let subject = logs == 1 ? "A log lacks" : "\(logs) logs lack"
        return """
            \(subject) entries that devices have read: the database went back to an earlier state, or a container was removed and made \
            again. Put the newer database back, or run `ubiquity reset` on these devices (`ubiquity-server device list` names them), \
            which loses no document.
            """
    }
}

extension SetBack.Database {
    package var message: String {
        """
        The database went back to an earlier state: it was at generation \(to), and this server's data had reached \(from). Revocations \
        since then are undone, and devices that have read more wait. Put the newer database back; or stop the server, run \
        `ubiquity-server restored`, and start it again.
        """
    }

    /// Nil unless the row says that the database went back.
    init?(_ row: StorageRow) throws {
        guard let noted = try row["setBackAt"] as Int64? else { return nil }
        self.noted = Timestamp(seconds: noted)
        from = UInt64(clamping: try row["setBackFrom"] as Int64? ?? 0)
        to = UInt64(clamping: try row["setBackTo"] as Int64? ?? 0)
    }
}

extension ServerStore {
    /// Returns the signs as of now; see ``GenerationWatch`` and ``AheadDevices``.
    package func setBack() async throws -> SetBack {
        try await database.read { db in
            SetBack(database: try GenerationWatch.setBack(db), logs: try AheadDevices.logs(db).count)
        }
    }
}
