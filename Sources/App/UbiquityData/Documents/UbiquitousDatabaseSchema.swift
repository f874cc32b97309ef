public import GRDB

/// A program's declarations about its database documents, the same each time and for all documents of a manager.
public struct UbiquitousDatabaseSchema: Sendable {
    /// All shared tables.
    public var tables: [UbiquitousTable]
    /// Increase it when tables get new unique columns, references or natural keys.
    public var version: UInt64
    /// Shown to people beside this device's changes.
    public var deviceName: String
    /// Creates or migrates the tables. Runs each time a document is opened.
    public var prepare: @Sendable (any DatabaseWriter) throws -> Void
    /// Inserts a new database's initial rows. It runs only where the database begins, not on devices receiving a copy,
    /// where such rows would replace later remote changes. Give the rows fixed keys, or a natural key (`unify`):
    /// then rows of two devices beginning at the same time are united.
    public var seed: (@Sendable (Database) throws -> Void)?
    public var rules: UbiquitousDatabaseRules

    public init(
        tables: [UbiquitousTable], version: UInt64 = 1, deviceName: String, rules: UbiquitousDatabaseRules = .init(),
        seed: (@Sendable (Database) throws -> Void)? = nil,
        prepare: @escaping @Sendable (any DatabaseWriter) throws -> Void
    ) {
        self.tables = tables
        self.version = version
        self.deviceName = deviceName
        self.rules = rules
        self.seed = seed
        self.prepare = prepare
    }

    /// Opens a shared database.
    func open(_ path: String, identifier: String?, isNew: Bool = false) throws -> UbiquitousDatabase {
        try UbiquitousDatabase(
            path: path, tables: tables, identifier: identifier, deviceName: deviceName, schemaVersion: version
        ) { writer in
            try prepare(writer)
            if isNew, let seed { try writer.write { try seed($0) } }
        }
    }

    /// Opens a local database.
    func openLocal(_ path: String, isNew: Bool = false) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try prepare(pool)
        if isNew, let seed { try pool.write { try seed($0) } }
        return pool
    }
}
