import Foundation

/// The mark of a migration in a database. While a database has a mark, no server is served and no command of its owner
/// runs from it, except with the mark of a complete target.
struct MigrationMark: Hashable, Sendable {
    enum Role: String, Sendable {
        /// Its data is being copied to another place.
        case source
        /// All of its data is at another place, where devices continue.
        case moved
        /// It does not have all data yet.
        case target
        /// It has all data, and is served.
        case arrived
    }

    /// The same at both ends of a migration.
    let id: String
    var role: Role
    /// The place of the other end, for messages.
    let other: String
    /// The target's progress; nil for a source.
    var position: MigrationPosition?

    static func read(_ db: any StorageTransaction) throws -> MigrationMark? {
        let row = try db.row("SELECT id, role, other, position FROM migration WHERE \"only\" = 1")
        guard let row else { return nil }
        guard let role = Role(rawValue: try row["role"]) else {
            throw StorageError(.tooNew, "A newer version of ubiquity-server began to move this data. Use that one.")
        }
        let position = try (row["position"] as Data?).map { try JSONDecoder().decode(MigrationPosition.self, from: $0) }
        return try MigrationMark(id: row["id"], role: role, other: row["other"], position: position)
    }

    func write(_ db: any StorageTransaction) throws {
        let position = try position.map { try JSONEncoder().encode($0) }
        try Self.remove(db)
        try db.execute(
            "INSERT INTO migration (\"only\", id, role, other, position) VALUES (1, ?, ?, ?, ?)",
            [id, role.rawValue, other, position])
    }

    /// Replaces a mark, if it is the mark found or written by this process: then no concurrent process works on this
    /// end.
    ///
    /// - Parameter isExpected: Whether the current mark is that mark; it is nil if there is none.
    /// - Throws: `inUse` if it is not.
    func replace(_ db: any StorageTransaction, ifMarked isExpected: (MigrationMark?) -> Bool) throws {
        guard isExpected(try Self.read(db)) else {
            throw StorageError(
                .inUse,
                """
                Another `ubiquity-server migrate` works on the same data, or has cancelled this one. Wait until that has \
                ended; then run this one again, if you still need to.
                """)
        }
        try write(db)
    }

    static func remove(_ db: any StorageTransaction) throws { try db.execute("DELETE FROM migration") }

    /// - Throws: `inUse` for a database with a mark, except a complete target's.
    static func requireNone(in place: String, _ db: any StorageTransaction) throws {
        guard let mark = try read(db) else { return }
        guard mark.role != .arrived else { return }
        let message =
            switch mark.role {
            case .arrived, .source:
                """
                The data in \(place) is being moved to \(mark.other). Run the same `ubiquity-server migrate` again to continue, or \
                with --cancel instead of the new place to use the data here again.
                """
            case .moved:
                """
                The data in \(place) was moved to \(mark.other), where devices continue. Serve that; `ubiquity-server migrate` \
                with --cancel instead of the new place makes it usable here again, without the changes since then.
                """
            case .target:
                """
                \(place) does not have all data of \(mark.other) yet: the migration was interrupted. Run the same \
                `ubiquity-server migrate` again; nothing was served from here.
                """
            }
        throw StorageError(.inUse, message)
    }
}
