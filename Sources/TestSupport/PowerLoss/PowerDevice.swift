import Basics
import CloudModel
import CloudStorage
import DeviceSupport
import Foundation
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Sync
import Synchronization
import Transfers
import VirtualFileSystem

/// A device with everything real except the kernel and the network. It is opened in the same order as in a daemon.
final class PowerDevice: Sendable {
    let metadata: MetadataDatabase
    let content: ContentStore
    let files: VirtualFileSystem
    let engine: SyncEngine
    private let recovery: Recovery
    private let link: EngineSource
    private let running = Mutex<Task<Void, Never>?>(nil)

    init(directory: String, id: DeviceID, cloud: any CloudBackend) throws {
        var log = Logger(label: "power")
        log.logLevel = .critical
        let time = SystemTime()
        metadata = try MetadataDatabase(
            path: "\(directory)/metadata.sqlite", log: log, mayHaveLostPower: true)
        // Files are created ahead as in the daemon, on this thread.
        content = try ContentStore(directory: "\(directory)/content", background: { $0() })
        recovery = Recovery(metadata: metadata, content: content, time: time, log: log)
        try recovery.run()
        try metadata.write { transaction in
            guard try transaction.container(named: .cloudDocs) == nil else { return }
            _ = try transaction.createContainer(.cloudDocs, at: time.now())
        }
        let transfers = TransferContext(
            backend: cloud, slots: TransferSlots(), pool: try BlockingPool(name: "power-disk", threads: 2))
        link = EngineSource(content, transfers)
        files = VirtualFileSystem(
            metadata: metadata, content: content, source: link, time: try DiskTime(), owner: (geteuid(), getegid()),
            // The engine looks at open files every 200 ms.
            device: { id }, closing: .gathered { _ in }, log: log)
        var timing = EngineTiming()
        (timing.settle, timing.gather, timing.maintenance) = (.milliseconds(20), .milliseconds(20), .milliseconds(200))
        let context = EngineContext(
            metadata: metadata, content: content, backend: cloud, mounted: KernellessMount(files),
            transfers: transfers, identity: DeviceIdentity(id), deviceName: "device \(id.value)", time: time,
            timing: timing, log: log)
        engine = SyncEngine(context, limits: CacheLimits(minimumFree: 0))
        link.attach(engine)
        try recovery.sweep(startedAt: time.now()) { _ in false }
    }

    /// Runs the engine until ``close()``.
    func startEngine() { running.withLock { $0 = Task { [engine] in await engine.run() } } }

    /// Stops the engine, waits for its last step, and closes the database in order.
    func close() async throws {
        let task = running.withLock { $0.take() }
        task?.cancel()
        await task?.value
        // The source and the engine retain each other, and with them the blob folder.
        link.attach(nil)
        files.recordCloses()
        try metadata.close()
    }

    /// Returns the container's `Documents`.
    func documents() throws -> LocalItem {
        try metadata.read { transaction in
            guard let container = try transaction.container(named: .cloudDocs),
                let item = try transaction.local.item(.documents, in: container.id)
            else { throw Errno(ENOENT, "no Documents") }
            return item
        }
    }

    func item(_ name: String) throws -> LocalItem? {
        let folder = try documents().node
        return try metadata.read { try $0.local.item(named: try ItemName(name), in: folder) }
    }

    /// Returns all files of `Documents`; the tests create no folders in it.
    func all() throws -> [LocalItem] {
        let folder = try documents().node
        return try metadata.read { try $0.local.children(of: folder, limit: 10_000) }
    }

    /// Returns the bytes of a wholly local file, read through the file system.
    func bytes(of item: LocalItem) throws -> [UInt8] {
        let handle = try files.open(item.node, canWrite: false, truncate: false)
        defer { files.release(handle) }
        return try files.withDescriptor(handle) { descriptor in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = try check("pread") { pread(descriptor, &buffer, buffer.count, 0) }
            return Array(buffer.prefix(count))
        }
    }
}

/// Connects the file system to the engine, like a daemon, for programs opening only local files.
private final class EngineSource: ContentSource {
    private let engine = Mutex<SyncEngine?>(nil)
    private let idle: IdleContentSource

    init(_ content: ContentStore, _ transfers: TransferContext) {
        idle = IdleContentSource(content, container: .cloudDocs, transfers: transfers)
    }

    func attach(_ engine: SyncEngine?) { self.engine.withLock { $0 = engine } }
    private var current: SyncEngine? { engine.withLock { $0 } }

    func openIncomplete(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    ) {
        guard let current else { throw Errno(EAGAIN) }
        do {
            let opened = try current.downloads.open(item, for: program)
            return (opened.file, opened.download)
        } catch is StaleItem { throw Errno(ESTALE) }
    }

    func closeIncomplete(_ item: LocalItem) { current?.downloads.close(item) }
    func finishDownload(of item: LocalItem) async throws { try await current?.downloads.finish(item) }
    func completeInBackground(_ item: LocalItem) { current?.downloads.completeInBackground(item) }
    var patience: Duration { Patience.limit }
    func localTreeChanged() { current?.localTreeChanged() }
    func progress(of item: LocalItem) -> TransferFractions { idle.progress(of: item) }

    func request(_ command: ContentCommand, for item: LocalItem) throws {
        switch command {
        case .downloadWhenSpace, .cancel, .cancelKept: break
        case .evict: do { try current?.evictor.evict(item.node) } catch is EvictionRefusal { throw Errno(EBUSY) }
        case .download, .keep:
            guard let current else { return }
            if try current.context.metadata.write({ try $0.transfers.want(item, priority: 100) }).items > 0 {
                current.downloadsWanted()
            }
        }
    }

    var cloudSpace: (total: UInt64, free: UInt64)? { nil }
}
