import Basics
import CloudModel
import DeviceSupport
import Foundation
import LocalContent
import LocalMetadata
import Logging
import Synchronization
import TestSupport
import Transfers
import VirtualFileSystem

/// A file system with a real database and real blobs, without a kernel, an engine or a cloud. The clock moves by hand.
final class TestFiles {
    static let start = Timestamp(seconds: 1_800_000_000)
    static let caller = Caller(user: 1000, group: 1000)

    let files: VirtualFileSystem
    let metadata: MetadataDatabase
    let content: ContentStore
    let time = ManualTime(TestFiles.start)
    let changes = ChangeLog()
    /// `Documents/` of the one container.
    let documents: NodeID
    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "/ubiquity-files-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var log = Logger(label: "test")
        log.logLevel = .critical
        metadata = try MetadataDatabase(path: "\(directory)/metadata.sqlite", log: log)
        content = try ContentStore(directory: "\(directory)/content")
        _ = try metadata.write { try $0.createContainer(.cloudDocs, at: TestFiles.start) }
        let transfers = TransferContext(
            backend: InMemoryBackend(), slots: TransferSlots(), pool: try BlockingPool(name: "test", threads: 1))
        files = VirtualFileSystem(
            metadata: metadata, content: content,
            source: IdleContentSource(content, container: .cloudDocs, transfers: transfers), observer: changes,
            time: time, owner: (1000, 1000), log: log)
        documents = try metadata.read { transaction in
            guard let container = try transaction.container(named: .cloudDocs),
                let item = try transaction.local.item(.documents, in: container.id)
            else { throw Errno(ENOENT) }
            return item.node
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// The row of that name; nil where there is none.
    func row(_ name: String, in folder: NodeID? = nil) throws -> LocalItem? {
        try metadata.read { try $0.local.item(named: try ItemName(name), in: folder ?? documents) }
    }

    func node(_ name: String, in folder: NodeID? = nil) throws -> NodeID {
        guard let row = try row(name, in: folder) else { throw Errno(ENOENT) }
        return row.node
    }

    /// `open(O_CREAT)`, `write`, `close`.
    @discardableResult
    func save(_ name: String, _ text: String, in folder: NodeID? = nil) throws -> NodeID {
        let (attributes, handle) = try create(name, in: folder)
        defer { files.release(handle) }
        try write(text, to: handle)
        return attributes.node
    }

    func create(_ name: String, in folder: NodeID? = nil) throws -> (attributes: NodeAttributes, handle: OpenHandle) {
        try files.create(Array(name.utf8), in: folder ?? documents, permissions: 0o644, caller: Self.caller)
    }

    func makeFolder(_ name: String, in folder: NodeID? = nil) throws -> NodeID {
        try files.makeFolder(Array(name.utf8), in: folder ?? documents, permissions: 0o755, caller: Self.caller).node
    }

    func write(_ text: String, at offset: UInt64 = 0, to handle: OpenHandle) throws {
        let count = try Array(text.utf8).withUnsafeBytes { try files.write($0, at: offset, in: handle) }
        guard count == text.utf8.count else { throw Errno(EIO, "write") }
    }

    func text(of handle: OpenHandle) throws -> String {
        try files.withDescriptor(handle) { descriptor in
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = try check("pread") { pread(descriptor, &bytes, bytes.count, 0) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    func text(_ name: String, in folder: NodeID? = nil) throws -> String {
        let handle = try files.open(try node(name, in: folder), canWrite: false, truncate: false)
        defer { files.release(handle) }
        return try text(of: handle)
    }

    func rename(_ name: String, to other: String, in folder: NodeID? = nil, mode: RenameMode = .replace) throws {
        try files.rename(Array(name.utf8), in: documents, to: Array(other.utf8), in: folder ?? documents, mode: mode)
    }

    func names(in folder: NodeID? = nil) throws -> [String] {
        try files.entries(of: folder ?? documents, after: 0, limit: 100)
            .map { String(decoding: $0.name, as: UTF8.self) }.filter { $0 != "." && $0 != ".." }.sorted()
    }
}

/// Records what the observer is notified of, as short texts.
final class ChangeLog: TreeObserver {
    private let texts = Mutex<[String]>([])

    func happened(_ change: TreeChange) {
        let text =
            switch change {
            case .created(let item): "created \(item.name)"
            case .moved(let item, _, let name): "moved \(item.name) to \(name)"
            case .removed(let item): "removed \(item.name)"
            case .replaced(let item, let other): "replaced \(item.name) with \(other.name)"
            case .changed: "changed"
            }
        texts.withLock { $0.append(text) }
    }

    /// What came since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}
