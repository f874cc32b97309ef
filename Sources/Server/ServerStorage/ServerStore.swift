package import Basics
import CloudProtocol
import GRDB
import Glibc
package import Logging
import NIOPosix

/// The number of an account.
package struct AccountID: Hashable, Sendable {
    package let value: Int64
    package init(_ value: Int64) { self.value = value }
}

/// The storage of a server: one directory with a SQLite database (accounts, devices, sign-in, links, logs) and a file for each chunk.
///
/// Invariants:
/// - What a call has returned is durable: it survives the death of the process and a loss of power (decision 17). A commit is synced
///   before its caller continues, and a chunk's file before the row that promises it.
/// - Every query names its account. What belongs to another account looks like what does not exist, in results, errors and cost.
/// - A row of `chunk` means exactly one whole file; files without a row are leftovers. Rows are added after files and removed before them.
/// - `account.used` is what ``StorageCost`` counts for the account's rows, changed in the transactions that change those.
/// - Secrets are stored as digests, passwords as scrypt hashes; only the secrets of authenticator apps are stored as they are.
///
/// One process serves a directory; commands of its owner run beside it and write through the same transactions. So nothing may be cached
/// that such a command can change. The store knows no HTTP and no pages, never traps on stored bytes, and does not block the caller's
/// thread: disk work runs on `threads`, what takes the processor on `workers`, passwords on a thread of their own.
package final class ServerStore: Sendable {
    let directory: DataDirectory
    let database: ServerDatabase
    let files: ChunkFiles
    package let time: any TimeSource
    let log: Logger
    /// For calls that block on the disk.
    let threads: NIOThreadPool
    private let lock: Int32?
    package let changes: ChangeHub
    /// For what takes the processor for a while, so that it delays no disk work.
    let workers: NIOThreadPool
    let manifests: ManifestService
    let verifier: ChunkVerifier
    let passwords: PasswordHasher

    /// Opens the directory. One process at a time serves it (`serving`); commands of its owner may run beside that.
    ///
    /// - Parameter mayCreate: whether an absent or empty directory becomes that of a new server.
    /// - Throws: ``StorageError``; `notFound` where there is no server's data and none may be created.
    package init(
        path: String, serving: Bool, mayCreate: Bool = true, log: Logger, time: any TimeSource = SystemTime(),
        passwordCost: PasswordCost = .standard
    ) throws {
        directory = DataDirectory(path: path)
        try directory.prepare(mayCreate: mayCreate)
        lock = serving ? try directory.lock() : nil
        if serving { directory.removeLeftovers() }
        let database = try ServerDatabase(path: directory.database)
        self.database = database
        files = ChunkFiles(directory)
        self.time = time
        self.log = log
        passwords = PasswordHasher(cost: passwordCost)
        workers = NIOThreadPool(numberOfThreads: 2)
        workers.start()
        manifests = ManifestService(files, workers)
        verifier = ChunkVerifier(workers)
        // Four keep a disk busy, and are nothing when the disk hangs.
        threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        changes = ChangeHub { account in
            try await database.read { db in
                let rows = try Row.fetchAll(
                    db, sql: "SELECT name, sequence FROM container WHERE account = ?", arguments: [account.value])
                return Dictionary(
                    uniqueKeysWithValues: rows.map { ($0["name"] as String, UInt64(clamping: $0["sequence"] as Int64)) }
                )
            }
        }
    }

    /// Finishes what is under way and releases the directory.
    package func close() async throws {
        changes.close()
        try await threads.shutdownGracefully()
        try await workers.shutdownGracefully()
        try await passwords.close()
        try database.close()
        if let lock { Glibc.close(lock) }
    }

    /// Runs what blocks on a thread for that.
    func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do { return try await threads.runIfActive(body) } catch { throw StorageError.of(error) }
    }

    /// Whether commits are written through to the disk; for tests and for `/health`.
    package func isDurable() async throws -> Bool { try await database.synchronousLevel() == 2 }

    /// Seconds since 1970 UTC.
    func now() -> Int64 { time.now().split.seconds }
}
