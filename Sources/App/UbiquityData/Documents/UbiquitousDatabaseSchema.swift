public import GRDB

/// What a program declares about its database documents, the same each time and for all documents of a manager.
public struct UbiquitousDatabaseSchema: Sendable {
    /// All shared tables.
    public var tables: [UbiquitousTable]
    /// Grows when tables get other unique columns, references or natural keys.
    public var version: UInt64
    /// Shown to people beside what this device wrote.
    public var deviceName: String
    /// Makes or migrates the tables. Runs each time a document is opened.
    public var prepare: @Sendable (any DatabaseWriter) throws -> Void
    /// Inserts the rows with which a new database begins. It runs only where the database begins, and not on devices that get a copy, where
    /// such rows would replace what others have changed meanwhile. Give the rows fixed keys, or a natural key (`unify`): then those of two
    /// devices that begin at the same time become one.
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

    /// Opens a database of this device only.
    func openLocal(_ path: String, isNew: Bool = false) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try prepare(pool)
        if isNew, let seed { try pool.write { try seed($0) } }
        return pool
    }
}
