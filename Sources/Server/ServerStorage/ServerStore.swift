package import Basics
import CloudProtocol
import Glibc
package import Logging
import NIOPosix
package import S3Client

/// The storage of a server: a database (accounts, devices, sign-in, links, logs) and a file or an object for each
/// chunk.
///
/// Invariants:
/// - After a call returns, its effect is durable: it survives a crash of the process and a loss of power (decision 17).
///   A commit is synced before its caller continues, and a chunk's frame before the row promising it.
/// - Every query names its account. Data of other accounts is indistinguishable from nonexistent data, in results,
///   errors and cost.
/// - A row of `chunk` refers to exactly one complete frame (``ChunkObjects``); frames without a row are leftovers. Rows
///   are added after frames and removed before them.
/// - Secrets are stored as digests, passwords as scrypt hashes; only the secrets of authenticator apps are stored as
///   they are.
///
/// This type composes the stores by noun (``NounStore``). They own the rows and reach the database only through
/// ``StorageDatabase``. It opens the directory and the database, and performs operations on rows of several nouns
/// together, such as a backup.
///
/// One process serves a directory; its owner's commands run beside it and write through the same transactions. So data
/// that such a command can change must not be cached. The store knows no HTTP and no pages, never traps on stored
/// bytes, and does not block the caller's thread: disk work runs on `threads`, processor-bound work on `workers`,
/// password hashing on a dedicated thread.
package final class ServerStore: Sendable {
    package let accounts: AccountStore
    package let devices: DeviceStore
    package let sessions: SessionStore
    package let logs: LogStore
    package let chunks: ChunkStore
    package let links: LinkStore
    /// The folded logs.
    package let trees: ContainerTrees
    package let changes: ChangeHub
    /// Containers to collect immediately.
    package let requests = CollectionRequests()
    /// The turns of accounts asking for their use of space, because that reads all their lists of chunks.
    let uses = FairAsyncMutex(maximumWaiting: 64, maximumPerAccount: 4)
    /// The turns of accounts at the console's pages.
    package let pages = PageTurns()
    /// Attempts at all processes of a cluster; nil for a server of one process, counting in memory.
    package let sharedAttempts: AttemptStore?
    /// Devices with positions beyond the logs' ends.
    package let ahead: AheadDevices
    let generations: GenerationWatch
    /// The states of devices sending requests.
    package let senders: SenderStore
    let secrets: SecretStore
    /// Notifies the cluster's other processes.
    private let notifier: ClusterNotifier?
    package let time: any TimeSource
    /// A monotonic time, independent of the machine's clock setting. Limits of attempts count by it.
    package let uptime: @Sendable () -> Duration
    let directory: DataDirectory
    let database: any StorageDatabase
    let log: Logger
    /// For blocking calls to the disk.
    let threads: NIOThreadPool
    /// For processor-bound work, so that it delays no disk work.
    let workers: NIOThreadPool
    private let passwords: PasswordHasher
    private let lock: Int32?

    /// Opens the storage of a server with all its data in the directory `path`.
    package convenience init(
        path: String, serving: Bool, mayCreate: Bool = true, log: Logger, time: any TimeSource = SystemTime(),
        passwordCost: PasswordCost = .standard
    ) throws {
        try self.init(
            ServerPlace(directory: path), serving: serving, mayCreate: mayCreate, log: log, time: time,
            passwordCost: passwordCost)
    }

    /// Opens the storage. One process at a time serves a directory (`serving`); commands of its owner may run beside
    /// that process.
    ///
    /// - Parameters:
    ///   - isAlone: Whether no other process may use the database meanwhile; for a directory `serving` has that effect
    ///     on servers.
    ///   - mayCreate: Whether an absent or empty directory becomes a new server's.
    ///   - uptime: A monotonic time; nil for the machine's since now.
    ///   - bucket: The client for the bucket of `place`; nil for a client with the credentials from `place` and the
    ///     environment.
    /// - Throws: ``StorageError``; `notFound` if there is no server's data and none may be created.
    package init(
        _ place: ServerPlace, serving: Bool, isAlone: Bool = false, mayCreate: Bool = true, log: Logger,
        time: any TimeSource = SystemTime(), uptime: (@Sendable () -> Duration)? = nil,
        passwordCost: PasswordCost = .standard, bucket: S3Client? = nil
    ) throws {
        let bucket = try bucket ?? S3Client(chunksOf: place, log: log)
        directory = DataDirectory(path: place.directory)
        try directory.prepare(mayCreate: mayCreate, isCache: place.database != nil)
        lock = serving ? try directory.lock() : nil
        if serving { directory.removeLeftovers() }
        let database: any StorageDatabase
        do {
            database =
                if let address = place.database {
                    try PostgresDatabase(address, mayCreate: mayCreate, use: isAlone ? .exclusive : .shared)
                } else { try SQLiteDatabase(path: directory.database) }
            try database.readAtOnce { try MigrationMark.requireNone(in: place.description, $0) }
        } catch {
            if let lock { Glibc.close(lock) }
            throw error
        }
        let folded = FoldedFiles(folder: directory.folded)
        if serving { try folded.removeStrays { try database.readAtOnce { try LogStore.numbers($0) } } }
        self.database = database
        self.time = time
        let start = ContinuousClock.now
        self.uptime = uptime ?? { ContinuousClock.now - start }
        self.log = log
        passwords = PasswordHasher(cost: passwordCost)
        workers = NIOThreadPool(numberOfThreads: 2)
        workers.start()
        // Four threads keep a disk busy, and waste little when the disk hangs.
        threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        let notifier = try place.database.map { ClusterNotifier(try PostgresNotifications($0), log: log) }
        self.notifier = notifier
        changes = ChangeHub { account in
            try await LogStore.ends(of: account, in: database)
        } send: {
            notifier?.send($0)
        }
        let objects: any ChunkObjects =
            if let bucket { ChunkBucket(bucket, database) } else { ChunkFiles(directory, threads) }
        ahead = AheadDevices(database: database, time: time, log: log)
        generations = GenerationWatch(database: database, time: time, objects: objects, log: log)
        senders = SenderStore(database: database, time: time, log: log)
        accounts = AccountStore(database: database, time: time, objects: objects)
        devices = DeviceStore(database: database, time: time, log: log, accounts: accounts)
        secrets = SecretStore(database: database, time: time)
        sharedAttempts = place.isShared ? AttemptStore(database: database, time: time) : nil
        sessions = SessionStore(database: database, time: time, accounts: accounts, secrets: secrets)
        chunks = ChunkStore(
            database: database, time: time, log: log, objects: objects, threads: threads,
            manifests: ManifestService(objects, workers), verifier: ChunkVerifier(workers), bulk: BulkTurns(workers),
            uploads: UnfinishedUploads(database))
        logs = LogStore(database: database, time: time, chunks: chunks, changes: changes, requests: requests)
        var random = SystemRandomNumberGenerator()
        trees = ContainerTrees(
            logs: logs, time: time, threads: threads, files: folded,
            console: place.isShared ? .console(using: &random) : .console)
        links = LinkStore(database: database, time: time, chunks: chunks, passwords: passwords)
        // A command of the owner only sends.
        notifier?.start(for: serving ? changes : nil)
    }

    /// Finishes pending work and releases the directory.
    package func close() async throws {
        changes.close()
        requests.close()
        await notifier?.close()
        trees.close()
        await devices.contacts.settle()
        await senders.settle()
        try await pages.close()
        try await threads.shutdownGracefully()
        try await workers.shutdownGracefully()
        try await passwords.close()
        try database.close()
        if let lock { Glibc.close(lock) }
    }

    /// Collects unneeded chunks in all containers, in small steps. An unreadable container, such as one with a newer
    /// version's log, is skipped. One process of a server collects at a time; see ``CollectionReport/isElsewhere``.
    ///
    /// - Parameter only: The containers to collect; nil for all, and for leftovers of crashes.
    package func collect(
        _ policy: CollectionPolicy = .standard, only: Set<Int64>? = nil, pause: Duration = .milliseconds(20)
    ) async throws -> CollectionReport {
        let report = try await database.withLock(.collection, .exclusive) {
            try await collectWithoutLock(policy, only: only, pause: pause)
        }
        if let report { return report }
        var elsewhere = CollectionReport()
        elsewhere.isElsewhere = true
        return elsewhere
    }

    /// Collects the containers from which a person removed something for good since the last call. While another
    /// process collects, leaves them to the next call.
    package func collectRequested(_ policy: CollectionPolicy) async throws -> CollectionReport {
        let containers = requests.take()
        guard !containers.isEmpty else { return CollectionReport() }
        do {
            let report = try await collect(policy, only: containers, pause: .zero)
            if report.isElsewhere || report.gaveWay { requests.add(containers) }
            return report
        } catch {
            requests.add(containers)
            throw error
        }
    }

    /// Collects the containers with uploads, some of which may have been given up.
    package func collectUnfinished(_ policy: CollectionPolicy) async throws -> CollectionReport {
        let containers = try await chunks.uploads.due(at: chunks.now())
        return containers.isEmpty ? CollectionReport() : try await collect(policy, only: containers)
    }

    /// Collects regardless of other processes: the lock may have been lost with a connection, so a concurrent
    /// collection must do no harm.
    func collectWithoutLock(
        _ policy: CollectionPolicy, only: Set<Int64>? = nil, pause: Duration
    ) async throws -> CollectionReport {
        try await links.removeExpired()
        let collector = ChunkCollector(
            logs: logs, chunks: chunks, links: links, trees: trees, directory: directory, log: log)
        return try await collector.run(policy, only: only, pause: pause)
    }

    /// Whether commits are synced to the disk; for tests and for `/health`.
    package func isDurable() async throws -> Bool { try await database.isDurable() }

    /// Runs processor-bound work where it holds up no other request.
    package func offPool<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await workers.runIfActive { try withLowPriority(body) }
    }
}

extension NIOThreadPool {
    /// Runs blocking work on a thread for it, and converts disk errors to ``StorageError``.
    func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do { return try await runIfActive(body) } catch { throw StorageError.of(error) }
    }
}
