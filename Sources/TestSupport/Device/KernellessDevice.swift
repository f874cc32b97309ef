package import Basics
package import CloudModel
package import CloudStorage
import Foundation
package import LocalContent
package import LocalMetadata
import Logging
package import Sync
package import TestSupport
package import Transfers
package import VirtualFileSystem

/// A device with a real database, real blobs, a file system and an engine, in a separate directory; without a kernel
/// and without a network. Nothing runs unasked: a test calls the file system like programs, and the engine or its parts
/// like the loops.
package final class KernellessDevice: Sendable {
    package static let start = Timestamp(seconds: 1_800_000_000)
    package static let caller = Caller(user: 1000, group: 1000)

    package let backend: InMemoryBackend
    package let metadata: MetadataDatabase
    package let content: ContentStore
    package let files: VirtualFileSystem
    package let context: EngineContext
    package let engine: SyncEngine
    /// The clock of the device, unless ``init(_:cloud:id:time:settle:announcedSize:permits:transfers:patience:closing:asksBeforeEvicting:copying:onCall:)`` was given another one.
    package let time: ManualTime
    /// The changes reported by the file system to its observer.
    package let changes = ChangeLog()
    /// `Documents/` of the only container.
    package let documents: NodeID
    package let directory: String
    /// The previous daemon on the same device, which holds its directory.
    private let previous: KernellessDevice?

    /// - Parameters:
    ///   - time: Nil for ``time``, advanced only by the test.
    ///   - cloud: The device's cloud; nil for `backend`.
    ///   - settle: How long a change rests before it is uploaded and sent.
    ///   - transfers: The transfers shared by uploads and downloads; they must use `backend`.
    ///   - patience: How long a reader waits for bytes that are not local.
    ///   - closing: When the rows of closed files are updated.
    ///   - state: A different device's directory, whose state this device starts from, regardless of that device's
    ///     activity.
    ///   - onCall: Runs before each database call that changes the disk; its errors are thrown by the call.
    package init(
        _ backend: InMemoryBackend = InMemoryBackend(), cloud: (any CloudBackend)? = nil, id: DeviceID = DeviceID(7),
        time other: (any TimeSource)? = nil,
        settle: Duration = .zero, announcedSize: UInt64 = 4 << 20,
        permits: any EnginePermits = UncontendedPermits(), transfers: TransferContext? = nil,
        patience: Duration = .zero, closing: CloseRecording = .immediate, asksBeforeEvicting: Bool = false,
        copying state: String? = nil,
        onCall: (@Sendable (DatabaseCall) throws -> Void)? = nil
    ) throws {
        self.backend = backend
        previous = nil
        time = ManualTime(KernellessDevice.start)
        directory = NSTemporaryDirectory() + "/ubiquity-device-\(UUID().uuidString)"
        if let state {
            try FileManager.default.copyItem(atPath: state, toPath: directory)
        } else {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        var log = Logger(label: "test")
        log.logLevel = .critical
        let clock: any TimeSource = other ?? time
        metadata = try MetadataDatabase(path: "\(directory)/metadata.sqlite", log: log, onCall: onCall)
        content = try ContentStore(directory: "\(directory)/content")
        if state == nil { _ = try metadata.write { try $0.createContainer(.cloudDocs, at: clock.now()) } }
        let transfers =
            try transfers
            ?? TransferContext(
                backend: cloud ?? backend, slots: TransferSlots(), pool: try BlockingPool(name: "test", threads: 2))
        files = VirtualFileSystem(
            metadata: metadata, content: content,
            source: IdleContentSource(content, container: .cloudDocs, transfers: transfers, patience: patience),
            observer: changes, time: clock, owner: (1000, 1000), device: { id }, closing: closing, log: log)
        metadata.watchRows { [weak files] in files?.rowsChanged($0) }
        var timing = EngineTiming()
        timing.settle = settle
        timing.confirmation = .seconds(600)
        var context = EngineContext(
            metadata: metadata, content: content, backend: cloud ?? backend, mounted: KernellessMount(files),
            transfers: transfers, identity: DeviceIdentity(id), deviceName: "test", time: clock, timing: timing,
            announcedSize: announcedSize, permits: permits, log: log)
        if !asksBeforeEvicting {
            context.findStored = { items in
                Set(
                    items.compactMap { item in
                        item.content.map { StoredContents.Place(container: item.container, content: $0) }
                    })
            }
        }
        self.context = context
        engine = SyncEngine(context, limits: CacheLimits(minimumFree: 0))
        documents = try metadata.read { transaction in
            guard let container = try transaction.container(named: .cloudDocs),
                let item = try transaction.local.item(.documents, in: container.id)
            else { throw Errno(ENOENT) }
            return item.node
        }
    }

    /// The device of `other` after a restart of its daemon: memory-only state is gone. No file may be open.
    package init(restarting other: KernellessDevice) throws {
        (backend, metadata, content, directory) = (other.backend, other.metadata, other.content, other.directory)
        (previous, documents) = (other, other.documents)
        let (before, clock) = (other.context, other.time)
        time = clock
        files = VirtualFileSystem(
            metadata: metadata, content: content,
            source: IdleContentSource(content, container: .cloudDocs, transfers: before.transfers, patience: .zero),
            observer: changes, time: clock, owner: (1000, 1000), device: { before.device }, log: before.log)
        var context = EngineContext(
            metadata: metadata, content: content, backend: before.backend, mounted: KernellessMount(files),
            transfers: before.transfers, identity: before.identity, deviceName: "test", time: clock,
            timing: before.timing,
            announcedSize: before.announcedSize, permits: UncontendedPermits(), log: before.log)
        context.findStored = before.findStored
        self.context = context
        engine = SyncEngine(context, limits: CacheLimits(minimumFree: 0))
    }

    // A folder left behind is among the temporary files.
    deinit { if previous == nil { try? FileManager.default.removeItem(atPath: directory) } }
}
