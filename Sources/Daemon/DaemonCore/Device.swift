import Basics
import ClaimService
import CloudModel
import CloudStorage
import ControlServer
import DaemonProtocol
import DirectoryCloud
import Glibc
import LiveQueries
import LocalContent
import LocalMetadata
import Logging
import Mount
import Sync
import SystemPackage
import Transfers
import VirtualFileSystem

import struct Foundation.Data

/// One device: joins its database, its bytes, its file system and its engine. Does not know the kernel or the socket.
struct Device: Sendable {
    let metadata: MetadataDatabase
    let content: ContentStore
    let files: VirtualFileSystem
    let engine: SyncEngine
    let claims: ClaimService
    let queries: QueryService
    let keyValues = KeyValueService()
    let link: ContentSourceAdapter
    let invalidator: KernelInvalidator
    let recovery: Recovery
    let id: CloudModel.DeviceID
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
        content = try ContentStore(directory: "\(state)/content")
        recovery = Recovery(metadata: metadata, content: content, time: time, log: logger)
        try recovery.run()
        id = try Self.prepare(metadata, time)
        limits = try Self.limits(configuration, content)
        versions = configuration.versions
        let timing = EngineTiming()
        link = ContentSourceAdapter(metadata, patience: timing.patience)
        invalidator = KernelInvalidator(log: logger)
        claims = ClaimService(metadata, maximumClaims: SocketServer.Limits.maximumClaims, log: logger)
        queries = QueryService(metadata, mountPoint: configuration.mountPoint, log: logger)
        metadata.watchRows { [queries, claims] in
            claims.known.forget($0)
            queries.changed($0)
        }
        files = VirtualFileSystem(
            metadata: metadata, content: content, source: link,
            observer: TreeObservers(claims: claims, monitors: queries.monitors), time: try DiskTime(),
            owner: (geteuid(), getegid()), log: logger)
        let transfers = try Self.transfers(configuration, logger)
        let context = EngineContext(
            metadata: metadata, content: content, backend: transfers.backend,
            mounted: MountAdapter(files, invalidator, link, claims, keyValues), transfers: transfers, device: id,
            deviceName: configuration.deviceName, time: time, timing: timing, permits: DaemonPermits(claims),
            log: logger)
        engine = SyncEngine(context, limits: limits, versions: versions)
        try VersionFiles(directory: "\(state)/versions", context: context).removeAll()
        link.attach(engine)
        claims.whenClaimEnds { [engine] in engine.askCloud() }
    }

    /// Returns the device's id, which is created at the first start together with the container that everybody has.
    private static func prepare(_ metadata: MetadataDatabase, _ time: SystemTime) throws -> CloudModel.DeviceID {
        // A start has to succeed on a full disk; only the first one changes anything here.
        try metadata.write(.freeing) { transaction in
            if try transaction.container(named: .cloudDocs) == nil {
                _ = try transaction.createContainer(.cloudDocs, at: time.now())
            }
            if let stored = try transaction.setting("device"), let text = String(data: stored, encoding: .utf8),
                let value = UInt64(text, radix: 16)
            {
                return CloudModel.DeviceID(value)
            }
            var random = SystemRandomNumberGenerator()
            let id = CloudModel.DeviceID.random(using: &random)
            try transaction.setSetting("device", Data(id.description.utf8))
            return id
        }
    }

    private static func limits(_ configuration: DaemonConfiguration, _ content: ContentStore) throws -> CacheLimits {
        let space = try content.space()
        let total = ByteCount(UInt64(space.f_blocks).saturatingProduct(UInt64(space.f_frsize)))
        return CacheLimits(
            size: configuration.cacheLimit?.bytes, minimumFree: configuration.minimumFree(ofDisk: total).bytes)
    }

    /// Returns the connection to the cloud, and the threads for it.
    static func transfers(_ configuration: DaemonConfiguration, _ logger: Logger) throws -> TransferContext {
        TransferContext(
            backend: try backend(configuration.cloud, logger), slots: TransferSlots(),
            pool: try BlockingPool(name: "ubiquity-disk", threads: 4))
    }

    static func backend(_ address: CloudAddress, _ logger: Logger) throws -> any CloudBackend {
        let path: String
        switch address {
        case .directory(let directory): path = directory
        case .http(let url): return try ServerAccess.backend(url, logger)
        case .s3(let url): return try BucketAccess.backend(url, logger)
        }
        // The embedded cloud may be created; the parent of any other folder may be a disk that is not mounted now.
        let embedded = StandardPaths.current.embeddedCloud
        if path == embedded { try createDirectories(FilePath(embedded).removingLastComponent().string) }
        return DirectoryBackend(path: FilePath(path), logger: logger)
    }

    func close() throws {
        try files.saveUsage()
        files.removeBlobsNow()
        try metadata.makeDurable()
        try metadata.closeWhole(toleratingReaders: true)
    }
}
