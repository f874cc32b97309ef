package import Basics
package import CloudModel
public import GRDB
package import Records

/// A SQLite database whose tables are shared with other devices.
///
/// The file stays on this device, and any program may read and write it, even without knowing this library: triggers
/// capture each change in its own transaction. Devices share transactions, in files written only by the originating
/// device; each device folds everyone's files in the same order and gets the same rows.
///
/// A transaction of ``write(_:)`` is a single transaction on all devices. Commits by other connections between two
/// calls of this object's methods arrive on other devices as a single transaction.
public final class UbiquitousDatabase: Sendable {
    /// Reads the database; GRDB observations see each import as a single change. Write with ``write(_:)``.
    public var reader: any DatabaseReader { pool }
    /// Names the shared database. Other devices use it to attach their file.
    public let identifier: String
    public let path: String

    let tables: [TableSchema]
    let deviceName: String
    let clock: any TimeSource
    let baselinePolicy: BaselinePolicy
    private let pool: DatabasePool

    /// Opens a database, and shares its tables if they are not shared yet.
    ///
    /// - Parameters:
    ///   - path: The file. It must not be in the cloud.
    ///   - tables: All shared tables, on every call.
    ///   - identifier: The ``identifier`` of the database to attach a file to; nil for a new or
    ///     previously opened database.
    ///   - deviceName: Shown to people beside this device's changes.
    ///   - schemaVersion: Increase it when tables get new unique columns, references or natural keys. Older rules do
    ///     not replace newer ones.
    ///   - prepare: Creates or migrates the tables.
    public convenience init(
        path: String, tables: [UbiquitousTable], identifier: String? = nil, deviceName: String,
        schemaVersion: UInt64 = 1, prepare: (any DatabaseWriter) throws -> Void = { _ in }
    ) throws {
        try self.init(
            path: path, tables: tables, identifier: identifier, deviceName: deviceName, schemaVersion: schemaVersion,
            clock: SystemTime(), prepare: prepare)
    }

    /// - Parameter isForeign: Whether other programs, or other devices, wrote the file's schema.
    package init(
        path: String, tables: [UbiquitousTable], identifier: String? = nil, device: DeviceID? = nil, deviceName: String,
        schemaVersion: UInt64 = 1, clock: any TimeSource, baselinePolicy: BaselinePolicy = BaselinePolicy(),
        isForeign: Bool = false, prepare: (any DatabaseWriter) throws -> Void = { _ in }
    ) throws {
        // Before the file is created.
        if let identifier { _ = try Self.store(identifier) }
        var configuration = Configuration()
        // Other programs write too; their transactions are short.
        configuration.busyMode = .timeout(5)
        if isForeign { configuration.limitForeignSchema() }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try prepare(pool)
        let (state, schemas) = try pool.writeWithoutTransaction { db in
            try Self.open(
                db, path: path, tables: tables, identifier: identifier, device: device, version: schemaVersion,
                now: clock.now())
        }
        self.pool = pool
        self.path = path
        self.identifier = state.store.description
        self.deviceName = RecordFile.shortened(deviceName)
        self.clock = clock
        self.baselinePolicy = baselinePolicy
        self.tables = schemas
        if try pool.read({ try StatementCache($0).first("SELECT 1 FROM _ubq_table WHERE is_stale", [], { _ in true }) })
            != nil
        {
            try rebase([])
        }
    }

    private static func open(
        _ db: Database, path: String, tables: [UbiquitousTable], identifier: String?, device: DeviceID?,
        version: UInt64, now: Timestamp
    ) throws -> (StoreState, [TableSchema]) {
        var opened: (StoreState, [TableSchema])?
        try db.inTransaction(.immediate) {
            let statements = StatementCache(db)
            let encoding = try statements.first("PRAGMA encoding") { $0[0] }
            guard encoding == .text("UTF-8") else {
                throw UbiquitousDatabaseError.unsharable(
                    table: tables.first?.name ?? "",
                    reason: "the database is encoded in UTF-16. Copy it to one in UTF-8")
            }
            let state = try Self.state(statements, path: path, identifier: identifier, device: device)
            let schemas = try SchemaReader(statements: statements).tables(tables)
            try CaptureInstaller(
                statements: statements, tables: schemas, state: state, version: version, time: now
            ).install()
            opened = (state, schemas)
            return .commit
        }
        guard let opened else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return opened
    }

    private static func store(_ identifier: String) throws -> ItemID {
        guard let store = ItemID(identifier) else { throw UbiquitousDatabaseError.noIdentifier(identifier) }
        return store
    }

    /// Returns the shared database's identity, and creates it for a file not shared yet.
    private static func state(
        _ statements: StatementCache, path: String, identifier: String?, device: DeviceID?
    ) throws -> StoreState {
        if let state = try StoreState(statements, path: path) {
            if let identifier, identifier != state.store.description {
                throw UbiquitousDatabaseError.otherDatabase(
                    path: path, found: state.store.description, wanted: identifier)
            }
            if state.layout < StateTables.layout {
                try StateTables.migrate(statements, from: state.layout)
                try state.save(statements)
            }
            return state
        }
        let store = try identifier.map { try Self.store($0) }
        var generator = SystemRandomNumberGenerator()
        let state = StoreState(store: store ?? .random(), device: device ?? .random(using: &generator))
        for sql in StateTables.statements { try statements.run(sql) }
        try state.save(statements)
        return state
    }

    public func close() throws { try pool.close() }

    // MARK: Writing

    /// Runs a transaction. Other connections see all of it or nothing.
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try inTransaction { statements in
            try group(statements) { try updates(statements.db) }
        }
    }

    /// Runs `body` as a separate group in the current transaction.
    func group<T>(_ statements: StatementCache, _ body: () throws -> T) throws -> T {
        try CapturedGroups.begin(statements)
        let result = try body()
        try CapturedGroups.end(statements, at: clock.now())
        return result
    }

    func inTransaction<T>(
        completion: Database.TransactionCompletion = .commit, _ body: (StatementCache) throws -> T
    ) throws -> T {
        try pool.writeWithoutTransaction { db in try Self.inTransaction(db, completion: completion, body) }
    }

    private static func inTransaction<T>(
        _ db: Database, completion: Database.TransactionCompletion = .commit, _ body: (StatementCache) throws -> T
    ) throws -> T {
        var result: T?
        try db.inTransaction(.immediate) {
            result = try body(StatementCache(db))
            return completion
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return result
    }

    /// Runs `body` with the writing connection, outside a transaction.
    func withWriter(_ body: (Database) throws -> Void) throws { try pool.writeWithoutTransaction(body) }

    func state(_ statements: StatementCache) throws -> StoreState {
        guard let state = try StoreState(statements, path: path) else {
            throw UbiquitousDatabaseError.damaged(path: path, what: "its identity is missing")
        }
        return state
    }

    // MARK: Publishing

    /// This device's id in the shared database.
    package var device: DeviceID {
        get throws { try pool.read { try state(StatementCache($0)).device } }
    }

    /// Writes commits to files, durably in the database, and returns the numbers of files not known to be written.
    package func prepareFiles() throws -> [UInt64] {
        try durably { statements in
            let state = try state(statements)
            try CapturedGroups(statements: statements, tables: tables, state: state).seal(at: clock.now())
            guard try !LogRestart.isRunning(statements) else { return [] }
            let publisher = RecordPublisher(statements: statements, deviceName: deviceName)
            _ = try publisher.prepare(state)
            return try publisher.unwritten()
        }
    }

    /// Runs a transaction durable against power loss.
    func durably<T>(_ body: (StatementCache) throws -> T) throws -> T {
        try pool.writeWithoutTransaction { db in
            // A WAL database's default loses the last commits at a power loss; a number must not be assigned twice.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            defer {
                // Back to the pool's default. A failure leaves the safer mode.
                try? db.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            return try Self.inTransaction(db, body)
        }
    }

    /// Writes all commits since the last call, and any files an earlier call could not write. Returns the
    /// number of files.
    @discardableResult
    package func publish(to outlet: any RecordOutlet) throws -> Int {
        // Otherwise a file could get a number from a vanished log.
        if let source = outlet as? any RecordSource { try restartIfSetBack(source) }
        guard try !isRestarting else { return 0 }
        let (unwritten, written) = try pool.read { db in
            let publisher = RecordPublisher(statements: StatementCache(db), deviceName: deviceName)
            return (try publisher.unwritten(), try publisher.written())
        }
        let lost = try written.filter(outlet.hasLost)
        let earlier = Set(unwritten + lost)
        let numbers = try (lost + prepareFiles()).sorted()
        for number in numbers {
            let bytes = try pool.read { db in
                try RecordPublisher(statements: StatementCache(db), deviceName: deviceName).bytes(of: number)
            }
            // Another process may have read the file back from the log meanwhile.
            guard let bytes else { continue }
            // A device that died before recording a file as written must not write it again after its removal: the log
            // would give it a later version, and devices without the baseline would fold it there.
            let isRemoved = try earlier.contains(number) && outlet.isInBaseline(number)
            if !isRemoved { try outlet.write(bytes, number: number) }
            try inTransaction { statements in
                try RecordPublisher(statements: statements, deviceName: deviceName).noteWritten(number)
            }
        }
        try removeFormerFiles(from: outlet)
        try publishBaseline(to: outlet)
        try removeOldFiles(from: outlet)
        return numbers.count
    }

    // MARK: Importing

    /// Files are folded in transactions of about this size.
    private static let importBytes = 64 << 20

    /// Folds new log files and shows their changes in the tables.
    ///
    /// - Parameter progress: Called after each file is read and shown, and once at the end.
    @discardableResult
    package func importFiles(
        from source: any RecordSource, progress: @escaping (UbiquitousImportProgress) -> Void = { _ in }
    ) throws -> UbiquitousChanges {
        try restartIfSetBack(source)
        let folded = try pool.read { try FoldedDevices(statements: StatementCache($0)).places() }
        let listed = try source.files(after: Dictionary(folded.map { ($0.device, $0.number) }) { max($0, $1) })
        var changes = UbiquitousChanges()
        var report = ImportReport(progress)
        let baseline = try baselineToTake(from: source, folded: folded, listed: listed)
        var order = RecordFileOrder(folded: baseline?.places ?? folded)
        for file in listed { order.note(file.number, of: file.device, version: file.version) }
        report.expect(files: order.count, parts: baseline?.parts.count ?? 0)
        if let baseline { changes = try take(baseline, from: source, &report) }
        while order.next != nil {
            // Read before the transaction begins, because a download may take long.
            var files: [RecordImporter.Received] = []
            var size = 0
            while let place = order.next, files.isEmpty || size < Self.importBytes {
                let bytes = try source.read(place)
                files.append(RecordImporter.Received(place: place, bytes: bytes))
                size += bytes.count
                order.advance()
                report.advance()
            }
            let part = try rebase(files) { report.advance() }
            changes.rows += part.rows
            changes.refused = part.refused
            changes.files += part.files
        }
        if let restored = try finishRestart() {
            let files = changes.files
            changes = restored
            changes.files = files
        }
        try forgetLostValues()
        report.finish()
        return changes
    }

    @discardableResult
    private func rebase(_ files: [RecordImporter.Received], progress: () -> Void = {}) throws -> UbiquitousChanges {
        try unconstrained { statements in
            let importer = RecordImporter(statements: statements, tables: tables, path: path, time: clock.now())
            let changes = try importer.run(files, state(statements), progress: progress)
            for table in Set(changes.rows.map(\.table)) { try statements.db.notifyChanges(in: Table(table)) }
            return changes
        }
    }

    private static let importCacheKibibytes = 32 << 10

    /// Runs a transaction with many log rows, with foreign keys off.
    func unconstrained<T>(_ body: (StatementCache) throws -> T) throws -> T {
        try pool.writeWithoutTransaction { db in
            // With SQLite's default of 2 MiB, a large import writes and reads the same pages repeatedly.
            let cacheSize = try Int.fetchOne(db, sql: "PRAGMA cache_size") ?? -2_000
            try db.execute(sql: "PRAGMA cache_size = -\(Self.importCacheKibibytes)")
            // Foreign-key actions of other devices are in their transactions. The setting cannot change
            // within a transaction.
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            defer {
                // A failure leaves the larger cache.
                try? db.execute(sql: "PRAGMA cache_size = \(cacheSize)")
                // The pool enabled it when it opened the connection, so this cannot fail where that succeeded.
                try? db.execute(sql: "PRAGMA foreign_keys = ON")
            }
            return try Self.inTransaction(db, body)
        }
    }
}

extension RecordFile {
    /// Returns the name, or its beginning if it is too long for a file.
    fileprivate static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > maximumDeviceNameBytes { name.removeLast() }
        return name
    }
}
