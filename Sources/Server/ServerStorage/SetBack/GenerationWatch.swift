import Basics
import CloudProtocol
import Logging
import Synchronization

/// Notices that the database is older than the files or objects beside it.
///
/// The database counts its generations: each check of health commits the next generation, and then writes its number to
/// a place that does not move with the database, a file of the data directory or an object of the bucket. So that
/// number is never greater than the database's, unless the database was restored to an earlier state. The number is
/// compared at a start, and with each check, because a database can also go back under a running process, when a
/// standby without the last commits takes over.
///
/// The sign stays in the database until the owner has prepared it with ``ServerStore/markRestored(trustsDevices:)``.
final class GenerationWatch: NounStore {
    private struct State {
        /// The greatest number read or committed by this process; nil before the first look.
        var seen: Int64?
        /// The time of the last logged sign.
        var logged: Timestamp?
    }

    let database: any StorageDatabase
    let time: any TimeSource
    private let objects: any ChunkObjects
    private let log: Logger
    private let state = Mutex(State())

    init(database: any StorageDatabase, time: any TimeSource, objects: any ChunkObjects, log: Logger) {
        self.database = database
        self.time = time
        self.objects = objects
        self.log = log
    }

    /// Begins the next generation, in the database and beside it, or notices that the database went back. Throws the
    /// reason if either cannot be written.
    func look() async throws {
        let seen: Int64
        if let known = state.withLock({ $0.seen }) { seen = known } else { seen = try await objects.generation() ?? 0 }
        let now = now()
        let (generation, setBack) = try await database.commit(.statement) { db in
            guard let row = try db.row(Self.next, [now, seen]) else {
                throw StorageError(.failed, "The check of health could not be recorded; try again.")
            }
            return (try row["generation"] as Int64, try SetBack.Database(row))
        }
        let found = try await objects.keep(generation: max(generation, seen))
        let isNew = state.withLock { state in
            // A remote process's number was in the database before it came to be beside it.
            state.seen = max(state.seen ?? 0, generation, seen, found)
            defer { state.logged = setBack?.noted }
            return setBack != nil && state.logged != setBack?.noted
        }
        if let setBack, isNew {
            log.critical(
                "\(setBack.message)",
                metadata: ["generation": "\(setBack.to)", "reached": "\(setBack.from)"])
        }
    }

    /// Arguments: the time, and the greatest number known beside the database. A database that went back stays where it
    /// is, so that a newer database can be put back and is recognised.
    private static let next = """
        INSERT INTO health ("only", at, generation, setBackAt, setBackFrom, setBackTo)
        VALUES (
            1, ?1, CASE WHEN ?2 > 0 THEN 0 ELSE 1 END, CASE WHEN ?2 > 0 THEN ?1 END, CASE WHEN ?2 > 0 THEN ?2 END,
            CASE WHEN ?2 > 0 THEN 0 END)
        ON CONFLICT ("only") DO UPDATE SET at = excluded.at,
            generation = CASE WHEN health.generation < ?2 THEN health.generation ELSE health.generation + 1 END,
            setBackAt = CASE WHEN health.generation < ?2 THEN COALESCE(health.setBackAt, ?1) ELSE health.setBackAt END,
            setBackFrom = CASE WHEN health.generation < ?2 THEN ?2 ELSE health.setBackFrom END,
            setBackTo = CASE WHEN health.generation < ?2 THEN health.generation ELSE health.setBackTo END
        RETURNING generation, setBackAt, setBackFrom, setBackTo
        """

    static func setBack(_ db: any StorageTransaction) throws -> SetBack.Database? {
        try db.row("SELECT setBackAt, setBackFrom, setBackTo FROM health").flatMap { try SetBack.Database($0) }
    }

    /// Turns a database that went back into the newest, as its owner wishes.
    static func accept(_ db: any StorageTransaction) throws {
        try db.execute(
            """
            UPDATE health SET generation = CASE WHEN setBackFrom > generation THEN setBackFrom ELSE generation END,
                setBackAt = NULL, setBackFrom = NULL, setBackTo = NULL
            """)
    }
}

/// The text form of a generation beside the database.
enum GenerationText {
    private static let prefix = "ubiquity-server generation "
    /// More than the length of any such text.
    static let limit = 8_192

    static func bytes(of generation: Int64) -> [UInt8] { Array("\(prefix)\(generation)\n".utf8) }

    /// Returns nil for anything else.
    static func generation(in bytes: some Collection<UInt8>) -> Int64? {
        let text = String(decoding: bytes.prefix(64), as: UTF8.self)
        guard text.hasPrefix(prefix), text.hasSuffix("\n") else { return nil }
        return Int64(text.dropFirst(prefix.count).dropLast()).flatMap { $0 < 0 ? nil : $0 }
    }
}
