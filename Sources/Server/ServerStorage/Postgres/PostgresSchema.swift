/// The tables of a server in PostgreSQL, and their migrations. A released migration is never changed.
///
/// During an upgrade, processes of the earlier version work beside those that have migrated. So a migration is
/// additive: it adds tables, nullable columns or columns with a default, and indexes. A non-additive migration makes
/// processes of earlier versions refuse to start.
enum PostgresSchema {
    struct Migration: Sendable {
        let name: String
        var isAdditive = true
        let script: String
    }

    static let migrations = [
        Migration(name: "v1", script: PostgresTables.script),
        Migration(name: "shared", script: PostgresTables.shared),
        Migration(name: "migrationMark", script: PostgresTables.migrationMark),
        Migration(name: "setBack", script: PostgresTables.setBack),
        Migration(name: "senders", script: PostgresTables.senders),
        Migration(name: "removals", script: ServerSchema.removals),
        Migration(name: "uploads", script: ServerSchema.uploads),
        Migration(name: "owners", script: ServerSchema.owners),
    ]

    /// How long a migration may take.
    private static let bound = Duration.seconds(3_600)

    /// Creates the schema or migrates it. Several processes may do that concurrently: the first migrates, the rest wait
    /// for it. Blocks.
    ///
    /// - Throws: ``StorageError`` or ``PostgresError``; `tooNew` for a schema with a migration unknown to this version.
    static func prepare(
        _ address: PostgresAddress, mayCreate: Bool, migrations: [Migration] = migrations
    ) throws {
        var bounds = PostgresBounds()
        bounds.statement = bound
        bounds.silence = bound + .seconds(10)
        let connection = try PostgresConnection(address, bounds: bounds)
        guard try !isCurrent(connection, address, mayCreate, migrations) else { return }
        try connection.run("BEGIN")
        try PostgresLocks.lockSchema(connection)
        try connection.run(
            """
            CREATE TABLE IF NOT EXISTS schemaMigration (
                name TEXT COLLATE "C" PRIMARY KEY, isAdditive BIGINT NOT NULL, applied BIGINT NOT NULL)
            """)
        // A concurrent process may have migrated meanwhile.
        let applied = try applied(connection)
        for migration in migrations where applied[migration.name] == nil {
            try connection.script(migration.script)
            try connection.run(
                PostgresDialect.rewrite("INSERT INTO schemaMigration VALUES (?, ?, unixepoch())"),
                [migration.name, migration.isAdditive])
        }
        try connection.commit()
    }

    private static func isCurrent(
        _ connection: PostgresConnection, _ address: PostgresAddress, _ mayCreate: Bool, _ migrations: [Migration]
    ) throws -> Bool {
        let table = try connection.rows("SELECT 1 WHERE to_regclass('schemamigration') IS NOT NULL")
        guard !table.isEmpty else {
            guard mayCreate else {
                throw StorageError(
                    .notFound, "No server keeps its rows in \(address). Check --database, and that it is the right one."
                )
            }
            return false
        }
        let applied = try applied(connection)
        let known = Set(migrations.map(\.name))
        guard !applied.contains(where: { !known.contains($0.key) && !$0.value }) else {
            throw StorageError(
                .tooNew,
                "The database \(address) was written by a newer version of ubiquity-server. Install that one; nothing was changed."
            )
        }
        return known.isSubset(of: applied.keys)
    }

    /// Returns the names of the applied migrations, and whether they are additive.
    private static func applied(_ connection: PostgresConnection) throws -> [String: Bool] {
        try connection.rows("SELECT name, isAdditive FROM schemaMigration").reduce(into: [:]) { applied, row in
            applied[try row["name"]] = try row["isAdditive"] as Bool
        }
    }
}
