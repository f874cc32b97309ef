package import Basics
import CloudProtocol
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
/// - The effect of a call that has returned is durable: it survives a crash of the process and a loss of power (decision 17). A commit is
///   synced before its caller continues, and a chunk's file before the row that promises it.
/// - Every query names its account. Another account's data is indistinguishable from data that does not exist, in results, errors and cost.
/// - A row of `chunk` refers to exactly one complete file; files without a row are leftovers. Rows are added after files and removed before
///   them.
/// - Secrets are stored as digests, passwords as scrypt hashes; only the secrets of authenticator apps are stored as they are.
///
/// This type composes the stores by noun (``NounStore``), which own the rows and reach the database through ``StorageDatabase`` alone. It
/// opens the directory and the database, and performs operations on rows of several nouns at once, such as a backup.
///
/// One process serves a directory; commands of its owner run beside it and write through the same transactions. So nothing may be cached
/// that such a command can change. The store knows no HTTP and no pages, never traps on stored bytes, and does not block the caller's
/// thread: disk work runs on `threads`, processor-bound work on `workers`, password hashing on a thread of its own.
package final class ServerStore: Sendable {
    package let accounts: AccountStore
    package let devices: DeviceStore
    package let sessions: SessionStore
    package let logs: LogStore
    package let chunks: ChunkStore
    package let links: LinkStore
    /// What the logs say, folded.
    package let trees: ContainerTrees
    package let changes: ChangeHub
    package let time: any TimeSource
    let directory: DataDirectory
    let database: any StorageDatabase
    let log: Logger
    /// For calls that block on the disk.
    let threads: NIOThreadPool
    /// For processor-bound work, so that it delays no disk work.
    let workers: NIOThreadPool
    private let passwords: PasswordHasher
    private let lock: Int32?

    /// Opens the directory. One process at a time serves it (`serving`); commands of its owner may run beside that process.
    ///
    /// - Parameter mayCreate: Whether an absent or empty directory becomes that of a new server.
    /// - Throws: ``StorageError``; `notFound` if there is no server's data and none may be created.
    package init(
        path: String, serving: Bool, mayCreate: Bool = true, log: Logger, time: any TimeSource = SystemTime(),
        passwordCost: PasswordCost = .standard
    ) throws {
        directory = DataDirectory(path: path)
        try directory.prepare(mayCreate: mayCreate)
        lock = serving ? try directory.lock() : nil
        if serving { directory.removeLeftovers() }
        let database = try SQLiteDatabase(path: directory.database)
        let folded = FoldedFiles(folder: directory.folded)
        if serving { try folded.removeStrays { try database.readAtOnce { try LogStore.numbers($0) } } }
        self.database = database
        self.time = time
        self.log = log
        passwords = PasswordHasher(cost: passwordCost)
        workers = NIOThreadPool(numberOfThreads: 2)
        workers.start()
        // Four threads keep a disk busy, and waste little when the disk hangs.
        threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        changes = ChangeHub { account in try await LogStore.ends(of: account, in: database) }
        accounts = AccountStore(database: database, time: time, directory: directory, threads: threads)
        devices = DeviceStore(database: database, time: time, log: log, accounts: accounts)
        sessions = SessionStore(database: database, time: time, accounts: accounts)
        let files = ChunkFiles(directory)
        chunks = ChunkStore(
            database: database, time: time, log: log, files: files, threads: threads,
            manifests: ManifestService(files, workers), verifier: ChunkVerifier(workers))
        logs = LogStore(database: database, time: time, chunks: chunks, changes: changes)
        trees = ContainerTrees(logs: logs, time: time, threads: threads, files: folded)
        links = LinkStore(database: database, time: time, chunks: chunks, passwords: passwords)
    }

    /// Finishes what is under way and releases the directory.
    package func close() async throws {
        changes.close()
        trees.close()
        try await threads.shutdownGracefully()
        try await workers.shutdownGracefully()
        try await passwords.close()
        try database.close()
        if let lock { Glibc.close(lock) }
    }

    /// Collects chunks that nothing needs any more, in all containers, in small steps. A container that cannot be read, such as one with
    /// the log of a newer version, is skipped.
    package func collect(
        _ policy: CollectionPolicy = .standard, pause: Duration = .milliseconds(20)
    ) async throws -> CollectionReport {
        let collector = ChunkCollector(
            logs: logs, chunks: chunks, links: links, trees: trees, directory: directory, log: log)
        return try await collector.run(policy, pause: pause)
    }

    /// Whether commits are synced to the disk; for tests and for `/health`.
    package func isDurable() async throws -> Bool { try await database.isDurable() }

    /// Runs processor-bound work where it holds up no other request.
    package func offPool<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await workers.runIfActive { try withLowPriority(body) }
    }
}

extension NIOThreadPool {
    /// Runs blocking work on a thread for that, and converts errors of the disk to ``StorageError``.
    func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do { return try await runIfActive(body) } catch { throw StorageError.of(error) }
    }
}
