import Basics
import CloudModel
import CloudStorage
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Sync
import Synchronization
import Transfers
import VirtualFileSystem

/// Passes the file system's requests for bytes, progress and uploads on to the engine. The file system is created
/// before the engine, which is attached before the mount responds.
final class ContentSourceAdapter: ContentSource {
    private let engine = Mutex<SyncEngine?>(nil)
    private let metadata: MetadataDatabase
    let patience: Duration

    init(_ metadata: MetadataDatabase, patience: Duration) {
        self.metadata = metadata
        self.patience = patience
    }

    func attach(_ engine: SyncEngine) { self.engine.withLock { $0 = engine } }

    private var current: SyncEngine? { engine.withLock { $0 } }

    func openIncomplete(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    ) {
        guard let current else { throw Errno(EAGAIN) }
        // If nothing is local and there is no cloud, waiting could only end in the same error.
        if item.presence == .none, case .offline = current.state { throw Errno(ENETUNREACH) }
        try requestPackage(around: item)
        return try open(item, for: program, current)
    }

    func openForLook(_ item: LocalItem, for program: String?) throws -> (
        bytes: SharedDescriptor, download: ContentDownload
    ) {
        guard let current else { throw Errno(EAGAIN) }
        return try open(item, for: program, current)
    }

    private func open(
        _ item: LocalItem, for program: String?, _ engine: SyncEngine
    ) throws -> (bytes: SharedDescriptor, download: ContentDownload) {
        do {
            let opened = try engine.downloads.open(item, for: program)
            return (opened.file, opened.download)
        } catch is StaleItem { throw Errno(ESTALE) }
    }

    /// Requests the package around a file. A package is a single document: a program opening any of its files will need
    /// the rest.
    private func requestPackage(around item: LocalItem) throws {
        guard let package = try metadata.read({ try $0.local.package(around: item.parent).flatMap($0.local.item) })
        else { return }
        let noted = try metadata.write { try $0.transfers.want(package, priority: Self.packagePriority) }
        if noted.items > 0 { downloadsWanted() }
    }

    /// The priority of a package: below explicit requests, and above newer versions of other items.
    private static let packagePriority: UInt8 = 60

    func closeIncomplete(_ item: LocalItem) { current?.downloads.close(item) }

    func finishDownload(of item: LocalItem) async throws { try await current?.downloads.finish(item) }

    func completeInBackground(_ item: LocalItem) { current?.downloads.completeInBackground(item) }

    func localTreeChanged() { current?.localTreeChanged() }

    func downloadsWanted() { current?.downloadsWanted() }

    func progress(of item: LocalItem) -> TransferFractions {
        guard let current else { return TransferFractions() }
        return TransferFractions(
            downloading: item.kind == .file ? current.downloads.progress(of: item) : nil,
            uploading: current.uploadProgress(of: item))
    }

    func request(_ command: ContentCommand, for item: LocalItem) throws {
        switch command {
        case .download: try requestDownload(item)
        // Kept items wait in cases where a person's request does not.
        case .keep: try requestDownload(item, priority: DownloadPriority.kept)
        case .downloadWhenSpace: try requestDownload(item, priority: DownloadPriority.whenSpace)
        case .cancel: _ = try current?.downloads.cancel(item)
        case .cancelKept: _ = try current?.downloads.cancel(item, upTo: DownloadPriority.kept)
        case .evict:
            if try cancelAndEvict(item) { return }
            // Presenters are asked without blocking the caller, possibly a presenter itself.
            do {
                guard try current?.evictor.evictWithPermit(item.node) ?? true else { throw Errno(EINPROGRESS) }
            } catch is EvictionRefusal { throw Errno(EBUSY) }
        }
    }

    /// Ends a file's running download, and evicts the file in the background once nothing writes to it. Returns false
    /// if there is none.
    private func cancelAndEvict(_ item: LocalItem) throws -> Bool {
        guard let current, current.downloads.progress(of: item) != nil else {
            _ = try current?.downloads.cancel(item)
            return false
        }
        _ = try current.downloads.cancel(item)
        Task {
            do {
                _ = try await current.downloads.cancelAndWait(item)
                _ = try await current.context.blocking { try current.evictor.evictWithPermit(item.node) }
            } catch {
                // Such as an item that has to stay: it is as it was before its download.
                current.context.log.debug("kept a part of a download", metadata: ["why": "\(error)"])
            }
        }
        return true
    }

    /// Records the request to download a file, or all files below a folder.
    ///
    /// - Returns: The number of files and bytes.
    @discardableResult
    func requestDownload(_ item: LocalItem, priority: UInt8 = 100) throws -> (items: Int, bytes: UInt64) {
        let noted = try metadata.write { try $0.transfers.want(item, priority: priority) }
        if noted.items > 0 { downloadsWanted() }
        return noted
    }

    func makeRoom(for bytes: UInt64) -> Bool { current?.room.make(for: bytes) ?? false }

    var isRoomAmple: Bool { current?.room.isAmple ?? true }

    func kernelWrites() { current?.room.kernelWrites() }

    /// Runs work, and once more after an eviction if the disk is full. Must not be called under a lock required by
    /// opens.
    func makingRoom<T>(_ work: () throws -> T) throws -> T {
        do { return try work() } catch  where RoomMaker.isOfFullDisk(error) {
            guard makeRoom(for: 0) else { throw error }
        }
        return try work()
    }

    var cloudSpace: (total: UInt64, free: UInt64)? { current?.cloudSpace.map { ($0.total, $0.free) } }
}
