import Basics
import CallHandlers
import ClaimService
import CloudAccess
import CloudModel
import CloudProtocol
import CloudStorage
import ControlServer
import DaemonProtocol
import Dispatch
import Glibc
import KeyValues
import LiveQueries
import LocalContent
import LocalMetadata
import Logging
import Mount
import Sync
import Transfers
import VersionFiles
import VirtualFileSystem

import struct Foundation.Data

/// A device: joins its database, its bytes, its file system, its engine and its services. Needs neither a mount nor a
/// socket; ``RunningDaemon`` adds both.
struct Device: Sendable {
    let metadata: MetadataDatabase
    let content: ContentStore
    let files: VirtualFileSystem
    let cloud: SwitchableCloud
    let engine: SyncEngine
    let claims: ClaimService
    let queries: QueryService
    let keyValues = KeyValueService()
    let versionFiles: VersionFiles
    let link: ContentSourceAdapter
    let invalidator: KernelInvalidator
    let watches: WatchNotifier
    /// The rules of ``callers``.
    let programs: ProgramSettings
    let callers: CallerPermits
    let refused = RefusedPrograms()
    let recovery: Recovery
    /// Rung after each transaction that changes rows of the tree, and when a log was first read to its end.
    let rowChanges = Wakeup()
    let identity: DeviceIdentity
    let limits: CacheLimits
    let versions: VersionLimits

    /// Opens or creates the contents of the state directory and repairs them. Nothing is served before this initialiser returns.
    init(_ configuration: DaemonConfiguration, logger: Logger) throws {
        let state = configuration.stateDirectory
        let time = SystemTime()
        let boot = BootMark(state: state, log: logger)
        metadata = try MetadataDatabase(
            path: "\(state)/metadata.sqlite", log: logger, mayHaveLostPower: !boot.isOfThisRun)
        boot.set()
        content = try ContentStore(directory: "\(state)/content", background: Self.making)
        recovery = Recovery(metadata: metadata, content: content, time: time, log: logger)
        try recovery.run()
        identity = try Self.prepare(metadata, time)
        limits = try Self.limits(configuration, content, metadata)
        versions = configuration.versions
        let timing = EngineTiming()
        link = ContentSourceAdapter(metadata, patience: timing.patience)
        let programs = ProgramSettings(StandardPaths.current.programRules, log: logger)
        self.programs = programs
        callers = CallerPermits(ProcessTable(), refused: refused, log: logger) { programs.policy }
        claims = ClaimService(metadata, maximumClaims: SocketServer.Limits.maximumClaims, log: logger.area(.claims))
        queries = QueryService(metadata, mountPoint: configuration.mountPoint, log: logger)
        files = VirtualFileSystem(
            metadata: metadata, content: content, source: link,
            observer: TreeObservers(claims: claims, monitors: queries.monitors, log: logger.area(.files)),
            time: try DiskTime(),
            owner: (geteuid(), getegid()), device: { [identity] in identity.current }, closing: Self.closing,
            background: Self.background, log: logger.area(.files))
        metadata.watchRows { [queries, claims, files, rowChanges] in
            claims.known.forget($0)
            queries.changed($0)
            rowChanges.ring()
            // Last, because it may itself change rows.
            files.rowsChanged($0)
        }
        invalidator = KernelInvalidator(files, log: logger)
        // Unfinished work of a daemon that died.
        files.applyIgnoreFiles()
        watches = WatchNotifier(files, invalidator, log: logger)
        cloud = SwitchableCloud(
            try configuration.cloud.backend(logger.area(.cloud)) { [identity] in
                RequestSender(id: identity.current, name: configuration.deviceName)
            },
            isOffline: try metadata.read { try $0.setting(Self.offlineKey) } == Data([1]), log: logger.area(.cloud))
        let transfers = try Self.transfers(cloud)
        let context = EngineContext(
            metadata: metadata, content: content, backend: transfers.backend,
            mounted: MountAdapter(files, invalidator, watches, link, claims, keyValues), transfers: transfers,
            identity: identity, deviceName: configuration.deviceName, time: time, timing: timing,
            permits: DaemonPermits(claims),
            log: logger.area(.sync), transferLog: logger.area(.transfers))
        engine = SyncEngine(context, limits: limits, versions: versions)
        versionFiles = VersionFiles(directory: "\(state)/versions", context: context)
        try versionFiles.removeAll()
        link.attach(engine)
        engine.whenContainerIsRead { [rowChanges] in rowChanges.ring() }
        claims.whenClaimEnds { [engine] in engine.askCloud() }
    }

    /// Returns the device's id, created at the first start together with the default container.
    private static func prepare(_ metadata: MetadataDatabase, _ time: SystemTime) throws -> DeviceIdentity {
        // A start has to succeed on a full disk; only the first start changes anything here.
        try metadata.write(.freeing) { transaction in
            if try transaction.container(named: .cloudDocs) == nil {
                _ = try transaction.createContainer(.cloudDocs, at: time.now())
            }
            if let id = try transaction.device() { return DeviceIdentity(id) }
            var random = SystemRandomNumberGenerator()
            let id = DeviceID.random(using: &random)
            try transaction.setDevice(id)
            return DeviceIdentity(id)
        }
    }

    /// Returns the limits of the cache. A limit from the command line is kept for later starts.
    private static func limits(
        _ configuration: DaemonConfiguration, _ content: ContentStore, _ metadata: MetadataDatabase
    ) throws -> CacheLimits {
        if let size = configuration.cacheLimit { try CacheLimits.store(size: size.bytes, in: metadata) }
        let space = try content.space()
        let total = ByteCount(UInt64(space.f_blocks).saturatingProduct(UInt64(space.f_frsize)))
        return CacheLimits(
            size: try CacheLimits.storedSize(in: metadata, otherwise: configuration.defaultCacheLimit?.bytes),
            minimumFree: configuration.minimumFree(ofDisk: total).bytes)
    }

    /// Returns the context for transfers: the connection to the cloud, and the threads for it.
    static func transfers(_ backend: any CloudBackend) throws -> TransferContext {
        TransferContext(
            backend: backend, slots: TransferSlots(), pool: try BlockingPool(name: "ubiquity-disk", threads: 4))
    }

    /// Records closed files with the next change. Short beside the time that an edit rests before it is sent, and long
    /// beside that between two files of a copy.
    private static let closing = CloseRecording.gathered { [queue = DispatchQueue(label: "ubiquity.closes")] record in
        queue.asyncAfter(deadline: .now() + .milliseconds(20), execute: record)
    }

    /// Removes the bytes of many removed files in the background, so that no program waits for that.
    private static let background: Background = { [queue = DispatchQueue(label: "ubiquity.removal")] work in
        queue.async(execute: work)
    }

    /// Creates files ahead of programs' documents.
    private static let making: Background = { [queue = DispatchQueue(label: "ubiquity.files")] work in
        queue.async(execute: work)
    }

    // MARK: Offline by choice

    private static let offlineKey = "offline"

    /// Switches the cloud off or on. The setting is recorded first, so that it holds after a crash too.
    private func setOffline(_ isOffline: Bool) throws {
        try metadata.write(.freeing) { try $0.setSetting(Self.offlineKey, Data([isOffline ? 1 : 0])) }
        cloud.setOffline(isOffline)
    }

    /// Returns this device's parts for the call handlers.
    func mounted(with configuration: DaemonConfiguration) -> MountedDevice {
        MountedDevice(
            metadata: metadata, files: files, engine: engine, claims: claims, queries: queries,
            querySource: EngineQuerySource(engine), keyValues: keyValues, versionFiles: versionFiles,
            invalidator: invalidator, refused: refused, setOffline: setOffline, identity: identity,
            configuration: MountConfiguration(
                mountPoint: configuration.mountPoint, stateDirectory: configuration.stateDirectory,
                cloud: configuration.cloud, deviceName: configuration.deviceName, versions: versions)
        ) { [link] item in
            try link.makingRoom { try link.requestDownload(item) }
        }
    }

    func close() throws {
        files.recordCloses()
        engine.downloads.recordComplete()
        try files.saveUsage()
        try engine.context.figures.save()
        files.removeBlobsNow()
        try metadata.makeDurable()
        try metadata.closeWhole(toleratingReaders: true)
    }
}
