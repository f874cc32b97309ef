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
import TestSupport
import Transfers
import VirtualFileSystem

/// A device with everything real but its kernel and its network, on a directory of its own.
final class TestEngine {
    let backend: InMemoryBackend
    let metadata: MetadataDatabase
    let content: ContentStore
    let files: VirtualFileSystem
    let context: EngineContext
    let engine: SyncEngine
    let directory: String

    init(_ backend: InMemoryBackend = InMemoryBackend(), device: UInt64 = 7) throws {
        self.backend = backend
        directory = NSTemporaryDirectory() + "/ubiquity-engine-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var log = Logger(label: "test")
        log.logLevel = .critical
        metadata = try MetadataDatabase(path: "\(directory)/metadata.sqlite", log: log)
        content = try ContentStore(directory: "\(directory)/content")
        _ = try metadata.write { try $0.createContainer(.cloudDocs, at: SystemTime().now()) }
        let transfers = TransferContext(
            backend: backend, slots: TransferSlots(), pool: try BlockingPool(name: "test", threads: 2))
        let source = IdleContentSource(content, container: .cloudDocs, transfers: transfers)
        files = VirtualFileSystem(
            metadata: metadata, content: content, source: source, time: SystemTime(), owner: (1000, 1000), log: log)
        var timing = EngineTiming()
        timing.settle = .zero
        context = EngineContext(
            metadata: metadata, content: content, backend: backend, mounted: KernellessMount(files),
            transfers: transfers, device: DeviceID(device), deviceName: "test", time: SystemTime(), timing: timing,
            log: log)
        engine = SyncEngine(context, limits: CacheLimits(minimumFree: 0))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var documents: LocalItem {
        get throws {
            try metadata.read { transaction in
                guard let container = try transaction.container(named: .cloudDocs),
                    let item = try transaction.local.item(.documents, in: container.id)
                else { throw Errno(ENOENT) }
                return item
            }
        }
    }

    func item(_ name: String) throws -> LocalItem? {
        let folder = try documents.node
        return try metadata.read { try $0.local.item(named: try ItemName(name), in: folder) }
    }

    /// `open(O_CREAT)`, `write`, `close`.
    func save(_ name: String, _ bytes: [UInt8]) throws {
        let caller = Caller(user: 1000, group: 1000)
        let (_, handle) = try files.create(
            Array(name.utf8), in: documents.node, permissions: 0o644, caller: caller)
        defer { files.release(handle) }
        _ = try bytes.withUnsafeBytes { try files.write($0, at: 0, in: handle) }
    }
}
