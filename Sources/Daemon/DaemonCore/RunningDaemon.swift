import Basics
import CallHandlers
import ClaimService
import CloudModel
import CloudStorage
import ControlServer
import DaemonProtocol
import Fuse
import Glibc
import LiveQueries
import LocalMetadata
import Logging
import Maintenance
import Mount
import Sync
import Synchronization
import UnixSignals
import VirtualFileSystem

/// A device with its mount and its socket, from the mount to the unmount.
final class RunningDaemon: DaemonControl {
    private let device: Device
    private let configuration: DaemonConfiguration
    /// The result of rebuilding the state at this start, if it was rebuilt.
    private let rebuild: RebuildReport?
    private let logger: Logger
    private let log: LogControl
    private let stopping = Mutex<AsyncStream<Void>.Continuation?>(nil)
    private let session = Mutex<FuseSession?>(nil)
    /// The next start's additional arguments; nil if there is none.
    private let next = Mutex<[String]?>(nil)
    private let moving = Mutex<CloudAddress?>(nil)
    private let progress = DaemonProgress()
    private let helper: DatabaseHelper

    init(
        _ device: Device, _ configuration: DaemonConfiguration, rebuild: RebuildReport?, logger: Logger,
        log: LogControl
    ) {
        self.device = device
        self.configuration = configuration
        self.rebuild = rebuild
        self.logger = logger
        self.log = log
        helper = DatabaseHelper(configuration, changes: device.rowChanges, log: logger)
    }

    /// Mounts the device and serves it until the mount ends. Reports through `readiness` once it serves requests.
    func run(_ readiness: ReadinessPipe) async throws {
        let (stops, stop) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        stopping.withLock { $0 = stop }
        // Before the mount: a signal in between would kill the process and leave a dead mount behind.
        let signals = await UnixSignalsSequence(trapping: Self.endingSignals)
        let socket = try ControlSocket.listen(at: configuration.controlSocket)
        try requireRegistry()
        // Before the mount: settings inside of it cannot be read now, and must not be waited for.
        for failure in device.programs.reload() { readiness.note("\(failure)") }
        readiness.starting("mounting \(configuration.mountPoint)")
        let session = try await mount()
        let record = MountRecord(
            mount: configuration.mountPoint, pid: getpid(), state: configuration.stateDirectory,
            socket: configuration.controlSocket, connection: session.connectionNumber)
        publish(record)
        let watchdog = watchdog(of: session)
        let service = makeService()
        let server = SocketServer(socket: socket, identity: identity, handler: service, logger: logger.area(.commands))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.device.engine.run() }
            group.addTask { await self.serve(server) }
            group.addTask { await self.sweep() }
            group.addTask { await self.device.claims.watchStoppedPrograms() }
            group.addTask { await self.watchAttributes() }
            group.addTask { await self.watchProgramRules() }
            group.addTask { await self.device.queries.run(EngineQuerySource(self.device.engine)) }
            group.addTask { await self.obey(signals) }
            group.addTask { await self.end(session, when: stops) }
            group.addTask { await service.run() }
            group.addTask { await self.helper.run() }
            endIfNotDurable()
            await noteCloud(readiness)
            readiness.ready()
            Daemon.outliveCrashes(configuration)
            logger.notice("serving", metadata: ["mount": "\(configuration.mountPoint)"])
            let ending = await session.waitUntilEnded()
            device.watches.stop()
            watchdog?.end()
            logger.notice("the mount has ended", metadata: ["how": "\(ending)"])
            group.cancelAll()
        }
        // Notifies other devices of changes just sent by this one.
        let deferring = device.engine.context.backend.facet((any WorkDeferring).self)
        await deferring?.finishDeferredWork(within: Self.lastPatience)
        MountRegistry.standard.withdraw(mount: record.mount, pid: record.pid)
    }

    /// The signals for an orderly end. A closed terminal sends SIGHUP, and a service manager may send it after SIGTERM;
    /// under nohup(1) it stays ignored.
    private static var endingSignals: [UnixSignal] {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
        let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
        return [.sigterm, .sigint, .sigquit] + (isIgnored ? [] : [.sighup])
    }

    /// The additional arguments for starting the daemon again; nil if it ends.
    var nextStart: [String]? { next.withLock { $0 } }

    /// How long the end waits for the cloud's deferred work.
    private static let lastPatience = Duration.seconds(3)

    /// How long the start waits for the cloud before it becomes ready without a note about it.
    private static let cloudPatience = Duration.seconds(2)

    /// Notes why the cloud is unreachable, if that turns out in time.
    private func noteCloud(_ readiness: ReadinessPipe) async {
        let deadline = ContinuousClock.now + Self.cloudPatience
        while ContinuousClock.now < deadline {
            switch device.engine.state {
            case .online: return
            case .offline(let why), .stopped(let why):
                // A note is a single line.
                let reason = why.split(whereSeparator: \.isNewline).joined(separator: " ")
                return readiness.note("the cloud cannot be reached: \(reason) Edits wait until it can.")
            case .connecting:
                // Only cancellation ends the sleep early, and it ends the mount too.
                do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
            }
        }
    }

    /// Returns the handlers of the control socket's calls.
    func makeService() -> DaemonService {
        DaemonService(
            device.mounted(with: configuration), self, progress: progress, rebuild: rebuild, logger: logger)
    }

    // MARK: What handlers need of the daemon

    var logLevels: LogLevels { log.levels }

    func setLogLevels(_ levels: LogLevels) throws {
        try LogControl.keep(levels, in: device.metadata)
        log.levels = levels
    }

    var databases: any DatabaseCalls { helper }

    var requestCounts: [String: UInt64] { session.withLock { $0?.counts }?.byName ?? [:] }

    var requestsInProgress: UInt64 { session.withLock { $0?.counts }?.inProgress ?? 0 }

    var transport: String? { session.withLock { $0?.transport }.map { "\($0)" } }

    func stop() { _ = stopping.withLock { $0?.yield() } }

    func stopForReset() {
        next.withLock { $0 = ["--reset"] }
        stop()
    }

    func prepareMove(to cloud: CloudAddress) { moving.withLock { $0 = cloud } }

    func stopToMove() {
        guard let cloud = moving.withLock({ $0 }) else { return }
        next.withLock { $0 = ["--move-to", cloud.description] }
        stop()
    }

    /// Shows a failure of the start in the status.
    func found(_ failure: DaemonFailure) { progress.found(failure) }

    func checkSettings(repair: Bool) throws -> Finding? {
        try DaemonSettings(configuration).check(configuration.settingsFile, repair: repair)
    }

    // MARK: Parts

    /// Ends the daemon if a commit was not durable: a disk that lost commits is not trusted again, and this process's
    /// supervisor starts a new one.
    private func endIfNotDurable() {
        device.metadata.onSyncFailure { [logger, weak self] failure in
            logger.critical("\(failure)")
            self?.stop()
        }
    }

    private func noteDamage(_ problem: String) {
        let failure = DaemonFailure(
            .damaged, "the metadata database is damaged (\(problem))", path: configuration.stateDirectory,
            advice: "Run `ubiquity reset`: it rebuilds it from the cloud and loses no edit.")
        logger.error("\(failure)")
        progress.found(failure)
    }

    private func mount() async throws -> FuseSession {
        let fileSystem = MountedFileSystem(
            device.files, invalidator: device.invalidator, permits: device.claims, downloads: device.callers,
            announcements: device.watches.announcements, log: logger)
        do throws(FuseError) {
            if try FuseMountPoint.clearDeadMount(at: configuration.mountPoint) {
                logger.notice("cleared a mount whose daemon had died")
            }
            let session = try await FuseSession.mount(
                fileSystem, at: configuration.mountPoint, logger: logger.area(.files))
            fileSystem.attach(session)
            device.invalidator.attach(session)
            self.session.withLock { $0 = session }
            if let number = try FuseMountPoint.device(at: configuration.mountPoint).flatMap(DeviceNumber.init) {
                device.watches.start(mountPoint: configuration.mountPoint, device: number)
            }
            return session
        } catch { throw DaemonFailure(error, path: configuration.mountPoint) }
    }

    private func watchdog(of session: FuseSession) -> Watchdog? {
        guard let control = session.control else { return nil }
        do { return try Watchdog(control, log: logger) } catch {
            // The next mount aborts the connection of a killed daemon.
            logger.warning("the watchdog could not be started", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private var identity: HelloResponse {
        HelloResponse(pid: getpid(), mount: configuration.mountPoint, state: configuration.stateDirectory)
    }

    /// Refuses a mount that commands could not find, before there is one.
    private func requireRegistry() throws(DaemonFailure) {
        do { try MountRegistry.standard.prepare() } catch {
            throw DaemonFailure(
                .permissionDenied, "no folder for the list of mounts can be written (\(error))",
                path: configuration.mountPoint, advice: "Set XDG_RUNTIME_DIR or HOME to a writable folder.")
        }
    }

    private func publish(_ record: MountRecord) {
        do { try MountRegistry.standard.publish(record) } catch {
            // Commands can still find the mount in the mount table if its path is given.
            logger.warning("could not publish the mount", metadata: ["error": "\(error)"])
        }
    }

    private func serve(_ server: SocketServer) async {
        do { try await server.run() } catch {
            guard !Task.isCancelled else { return }
            logger.error("the control socket failed; the mount continues without it", metadata: ["error": "\(error)"])
        }
    }

    private func obey(_ signals: UnixSignalsSequence) async {
        for await signal in signals {
            logger.notice("stopping", metadata: ["signal": "\(signal)"])
            stop()
        }
    }

    /// Reads the rules for programs again when their files change.
    private func watchProgramRules() async {
        let (programs, context) = (device.programs, device.engine.context)
        while !Task.isCancelled {
            // Only cancellation ends the sleep early, and it ends the loop too.
            try? await Task.sleep(for: ProgramSettings.period)
            // Without a free thread the files are read at the next turn.
            _ = try? await context.blocking { programs.reload() }
        }
    }

    /// Notifies presenters of their items' state (ubiquity attributes, in the library's terms).
    private func watchAttributes() async {
        let (claims, engine) = (device.claims, device.engine)
        while !Task.isCancelled {
            await claims.attributes.untilDue()
            // Nothing in it throws; an uninspectable item is skipped.
            try? await engine.context.blocking { [device] in
                claims.tellAttributes(writes: device.metadata.writes, isMoving: !engine.transfers.isEmpty) {
                    try device.files.status(of: $0)
                }
            }
        }
    }

    private func end(_ session: FuseSession, when stops: AsyncStream<Void>) async {
        for await _ in stops {
            // It uses the mount.
            await helper.stop()
            do throws(FuseError) { try await session.stop() } catch {
                logger.error("could not unmount", metadata: ["error": "\(error.message)"])
            }
        }
    }

    /// Removes leftovers of a process that died, concurrently with everything else. Skipped if the database is damaged:
    /// the bytes of documents with lost rows would look like leftovers.
    private func sweep() async {
        let startedAt = SystemTime().now()
        defer { device.engine.context.endSweep() }
        do {
            let metadata = device.metadata
            if let problem = try await device.engine.context.blocking({ metadata.firstProblem() }) {
                return noteDamage(problem)
            }
            try await device.engine.context.blockingSweep(device.recovery, startedAt, device.engine.downloads)
        } catch { logger.warning("could not remove leftover files", metadata: ["error": "\(error)"]) }
    }
}
