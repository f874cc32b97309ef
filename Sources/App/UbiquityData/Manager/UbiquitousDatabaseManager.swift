import CloudModel
import Dispatch
public import Foundation
import Synchronization

/// The destination of shared databases: the signed-in account's container.
public struct UbiquitousDatabaseCloud: Hashable, Sendable {
    /// A container's folder in a mount, such as returned by `FileManager.url(forUbiquityContainerIdentifier:)` of the
    /// library Ubiquity.
    public let container: URL
    /// Differs between accounts, such as the text of `FileManager.ubiquityIdentityToken`.
    public let account: String

    public init(container: URL, account: String) {
        (self.container, self.account) = (container, account)
    }
}

extension Notification.Name {
    /// Posted by a ``UbiquitousDatabaseManager`` when its list, or the state of a database in it, has changed. The object is the manager.
    /// Posted on a queue of the manager.
    public static let UbiquitousDatabaseListDidChange = Notification.Name("UbiquitousDatabaseListDidChange")
}

/// A program's database documents on this device, local and shared.
///
/// The manager keeps them in a local folder. It shows databases shared by other devices and removes those removed by
/// them, moves documents into the cloud and out of it, and follows a person's preference about the cloud. After a
/// crash, the folder's next manager finishes pending work.
///
/// Methods block while copying or waiting for the disk, at most ten seconds for another process of the program, and may
/// be called on any thread, also by the delegate. Work waiting for the cloud continues in the
/// background after ``start()``.
public final class UbiquitousDatabaseManager: Sendable {
    struct Memory {
        weak var delegate: (any UbiquitousDatabaseManagerDelegate)?
        var list: [UbiquitousDatabaseInfo] = []
        /// Whether something waits for the log or for another process.
        var isWaiting = false
        var builds: [PackageName: BuildAttempt] = [:]
        /// The last reported failure message of each database, to report it only once.
        var failures: [String: String] = [:]
        var isStarted = false
        var isStopped = false
        /// Whether a refresh is planned but has not begun. Further events need no second refresh.
        var isRefreshPlanned = false
        /// The number of the last planned timer call; earlier calls do nothing.
        var timer = 0
    }

    /// For a folder in use by another process, in milliseconds.
    private static let lockLimit: Int32 = 10_000

    let files: DocumentFolder
    let schema: UbiquitousDatabaseSchema
    let environment: SyncEnvironment
    let open = OpenDocuments()
    let memory = Mutex(Memory())
    private let cloud: @Sendable () -> UbiquitousDatabaseCloud?
    private let queue = DispatchQueue(label: "ubiquity.databases")
    let buildQueue = DispatchQueue(label: "ubiquity.databases.build")
    private let eventQueue = DispatchQueue(label: "ubiquity.databases.events")
    private let observer: Mutex<(any FolderObserving)?> = Mutex(nil)

    /// - Parameters:
    ///   - folder: The manager's local folder, created if it does not exist. It must not be in the cloud.
    ///   - schema: The program's declarations for all of its databases.
    ///   - cloud: Returns the container; nil while the device is signed out or nothing is mounted. Called from time to
    ///     time, on a queue of the manager.
    public convenience init(
        folder: URL, schema: UbiquitousDatabaseSchema, cloud: @escaping @Sendable () -> UbiquitousDatabaseCloud?
    ) throws {
        try self.init(folder: folder, schema: schema, environment: .system, cloud: cloud)
    }

    init(
        folder: URL, schema: UbiquitousDatabaseSchema, environment: SyncEnvironment,
        cloud: @escaping @Sendable () -> UbiquitousDatabaseCloud?
    ) throws {
        files = try DocumentFolder(folder.path)
        (self.schema, self.environment, self.cloud) = (schema, environment, cloud)
    }

    deinit {
        // A running call holds the manager.
        observer.withLock { $0 }?.stop()
    }

    public var delegate: (any UbiquitousDatabaseManagerDelegate)? {
        get { memory.withLock { $0.delegate } }
        set { memory.withLock { $0.delegate = newValue } }
    }

    // MARK: Running

    /// Begins to follow the cloud. A repeated call has no effect.
    public func start() {
        let isNew = memory.withLock { memory in
            defer { memory.isStarted = true }
            return !memory.isStarted
        }
        guard isNew else { return }
        let observer = environment.observer { [weak self] in self?.refreshLater() }
        self.observer.withLock { $0 = observer }
        refreshLater()
    }

    /// Stops following the cloud, and closes this process's open documents.
    public func stop() throws {
        memory.withLock { $0.isStopped = true }
        observer.withLock { $0 }?.stop()
        buildQueue.sync {}
        try queue.sync { try open.closeAll() }
    }

    /// Checks the account and the cloud, and does any resulting work. Call it when the account has changed
    /// (`NSUbiquityIdentityDidChange`) or the program returns to the foreground; after ``start()`` it
    /// also happens automatically.
    public func refresh() throws { try performAndBuild(Self.follow) }

    /// Waits until all copies being built are complete, or cannot be completed now. Call it after ``refresh()`` before
    /// the program ends.
    public func waitForCopies() { buildQueue.sync {} }

    private func refreshLater() {
        let isNew = memory.withLock { memory in
            defer { memory.isRefreshPlanned = true }
            return !memory.isRefreshPlanned
        }
        guard isNew else { return }
        queue.async { [weak self] in
            guard let self else { return }
            let isStopped = memory.withLock { memory in
                memory.isRefreshPlanned = false
                return memory.isStopped
            }
            guard !isStopped else { return }
            do {
                let names = try work { session in
                    try Self.follow(&session)
                    return try session.scan().builds
                }
                build(names)
            } catch { send([.failed(error, nil)]) }
            planTimer()
        }
    }

    private func planTimer() {
        let (isWaiting, number) = memory.withLock { memory in
            memory.timer += 1
            let isChanging = memory.list.contains { [.moving, .leaving, .building, .new].contains($0.state) }
            return (memory.isWaiting || isChanging, memory.timer)
        }
        environment.after(isWaiting ? .seconds(2) : .seconds(30)) { [weak self] in
            guard let self, memory.withLock({ $0.timer == number }) else { return }
            refreshLater()
        }
    }

    private static func follow(_ session: inout ManagerSession) throws {
        session.continueMoves()
        session.continueDrops()
        for action in try session.scan().actions {
            // A document that cannot be exchanged now, such as with files that cannot be downloaded, does not
            // stop the others.
            do { try session.carryOut(action) } catch {
                session.isWaiting = true
                session.events.append(.failed(error, UbiquitousDatabaseInfo(action.name, .current)))
            }
        }
        try session.clean()
    }

    // MARK: Sessions

    /// Runs a unit of work alone, and then sends its events.
    func perform<T>(_ body: (inout ManagerSession) throws -> T) throws -> T { try queue.sync { try work(body) } }

    /// As ``perform(_:)``, and begins to build missing copies afterwards.
    func performAndBuild(_ body: (inout ManagerSession) throws -> Void) throws {
        build(
            try perform { session in
                try body(&session)
                return try session.scan().builds
            })
    }

    private func work<T>(_ body: (inout ManagerSession) throws -> T) throws -> T {
        guard let lock = try PackageLock.wait(files.lockPath, limit: Self.lockLimit) else {
            throw UbiquitousDatabaseManagerError.busy
        }
        return try withExtendedLifetime(lock) {
            let account = cloud()
            var session = try ManagerSession(
                files: files, schema: schema, environment: environment,
                container: Self.container(account, environment), open: open)
            let result = Result {
                try session.handle(.account(account?.account))
                return try body(&session)
            }
            send(session.events)
            try note(session)
            return try result.get()
        }
    }

    private static func container(
        _ cloud: UbiquitousDatabaseCloud?, _ environment: SyncEnvironment
    ) -> ContainerFolder? {
        guard let cloud, FileManager.default.fileExists(atPath: cloud.container.path) else { return nil }
        return ContainerFolder(container: cloud.container.path, version: environment.version)
    }

    /// Finds the container, also for open documents after the manager is gone.
    var container: @Sendable () -> ContainerFolder? {
        { [cloud, environment] in Self.container(cloud(), environment) }
    }

    private func note(_ session: ManagerSession) throws {
        let list = try session.list()
        if let container = session.container { observer.withLock { $0 }?.observe(container.watched) }
        let isNew = memory.withLock { memory in
            memory.isWaiting = session.isWaiting
            defer { memory.list = list }
            return memory.list != list
        }
        guard isNew else { return }
        eventQueue.async { [self] in
            NotificationCenter.default.post(name: .UbiquitousDatabaseListDidChange, object: self)
            delegate?.manager(self, didChange: list)
        }
    }

    // MARK: Events

    func send(_ events: [ManagerEvent]) {
        for event in events {
            if case .reachable(true) = event { open.noteReachable() }
            guard isNew(event) else { continue }
            eventQueue.async { [self] in
                guard let delegate else { return }
                switch event {
                case .asks(let question): delegate.manager(self, asks: question)
                case .migrated(let info, let error): delegate.manager(self, fileMigrated: info, error: error)
                case .added(let info): delegate.manager(self, didAdd: info)
                case .removed(let info): delegate.manager(self, didRemove: info)
                case .kept(let kept): delegate.manager(self, didKeep: kept)
                case .reachable(let isReachable): delegate.manager(self, cloudIsReachable: isReachable)
                case .failed(let error, let info): delegate.manager(self, didFail: error, for: info)
                }
            }
        }
    }

    private func isNew(_ event: ManagerEvent) -> Bool {
        guard case .failed(let error, let info) = event else { return true }
        let message = "\(error)"
        return memory.withLock { memory in
            let key = "\(info?.title ?? "") \(info?.identifier ?? "")"
            defer { memory.failures[key] = message }
            return memory.failures[key] != message
        }
    }

    /// Waits until the delegate has received all sent events. For tests.
    func drainEvents() { eventQueue.sync {} }

    var documentEvents: DocumentEvents {
        DocumentEvents(
            changed: { [weak self] document, changes in
                guard let self else { return }
                eventQueue.async { self.delegate?.document(document, didImport: changes) }
            },
            failed: { [weak self] document, error in
                self?.send([.failed(error, UbiquitousDatabaseInfo(document.name, .current))])
            })
    }
}
