package import Basics
package import CloudModel
import Glibc
package import LocalContent
package import LocalMetadata
package import Logging
import Synchronization
package import Transfers

/// What each file operation means on documents, containers and their three trees. Knows no kernel interface and no network: it reads
/// and writes ``LocalMetadata`` and ``LocalContent``, and asks a ``ContentSource`` for bytes that are not here.
///
/// Operations are synchronous and safe from any thread; only waiting for bytes is asynchronous (``wait(for:in:)``).
/// Every change is committed before an operation returns, so that it survives the death of the process.
package final class VirtualFileSystem: Sendable {
    let metadata: MetadataDatabase
    let content: ContentStore
    package let source: any ContentSource
    let observer: (any TreeObserver)?
    let time: any TimeSource
    let exclusions: ExclusionRules
    let owner: (user: UInt32, group: UInt32)
    /// Names new items; random outside of tests.
    let newID: @Sendable () -> ItemID
    let log: Logger
    let startedAt: Timestamp
    package let openFiles = OpenFiles()
    package let gate = TreeGate()
    /// Shared: changing names, from before the transaction until the witness has heard of it. Exclusive: looking at names with the
    /// certainty that the witness knows all of them. Below ``gate``.
    package let naming = TreeGate()
    let removed = RemovedItems()
    package let unreadable = UnreadableItems()
    let usage = UsageTimes()
    /// Handles through which the kernel writes by itself.
    private let kernelWriterCount = Atomic<Int>(0)
    /// Takes away the bytes of what has no name any more.
    package let removal: BlobRemoval

    /// Closed files whose rows do not know that yet; each holds a claim.
    let unfinished = Mutex<[OpenFile]>([])
    /// Held while blobs are made anew: two copies of one blob would be the same file.
    let renewing = Mutex(())

    package init(
        metadata: MetadataDatabase, content: ContentStore, source: any ContentSource,
        observer: (any TreeObserver)? = nil, time: any TimeSource,
        owner: (user: UInt32, group: UInt32), exclusions: ExclusionRules = .standard,
        newID: @escaping @Sendable () -> ItemID = ItemID.random, log: Logger
    ) {
        self.metadata = metadata
        self.content = content
        self.source = source
        self.observer = observer
        self.time = time
        self.exclusions = exclusions
        self.owner = owner
        self.newID = newID
        self.log = log
        startedAt = time.now()
        removal = BlobRemoval(content, metadata, log: log)
    }

    package var kernelWriters: Int { kernelWriterCount.load(ordering: .relaxed) }

    /// Counts handles through which the kernel writes by itself: while there are any, some room is kept on the disk.
    package func noteKernelWriter(_ change: Int) {
        kernelWriterCount.add(change, ordering: .relaxed)
        if change > 0 { source.kernelWrites() }
    }

    /// Runs a change that takes space. Where the disk has none, documents that the cloud has are evicted and it is tried again, as long
    /// as any went. Not under a lock that an open takes.
    package func makingRoom<T>(for bytes: Int = 0, _ change: () throws -> T) throws -> T {
        for _ in 0..<Self.tries {
            do { return try change() } catch {
                guard FileSystemError.isOfFullDisk(error), source.makeRoom(for: UInt64(max(0, bytes))) else {
                    throw error
                }
            }
        }
        return try change()
    }

    /// The same for work that waits.
    package func makingRoomLater<T>(_ change: () async throws -> T) async throws -> T {
        for _ in 0..<Self.tries {
            do { return try await change() } catch {
                guard FileSystemError.isOfFullDisk(error), source.makeRoom(for: 0) else { throw error }
            }
        }
        return try await change()
    }

    /// Others may take the room that was made.
    private static let tries = 8

    /// The row of an item that exists; `ENOENT` otherwise.
    func existing(_ node: NodeID, _ transaction: MetadataTransaction) throws -> LocalItem {
        guard let item = try transaction.item(node) else { throw Errno(ENOENT) }
        return item
    }

    /// The row of a folder that something is to be put into or taken from.
    func folder(_ node: NodeID, _ transaction: MetadataTransaction) throws -> LocalItem {
        guard node != .root else { throw Errno(EPERM, "the mount's root holds containers only") }
        let item = try existing(node, transaction)
        guard item.kind == .folder else { throw Errno(ENOTDIR) }
        return item
    }

    static func name(_ bytes: [UInt8]) throws(Errno) -> ItemName {
        do { return try ItemName(bytes: bytes) } catch {
            switch error {
            case .tooLong: throw Errno(ENAMETOOLONG)
            case .empty: throw Errno(ENOENT)
            case .reserved, .forbiddenByte: throw Errno(EINVAL)
            }
        }
    }

    /// Marks a change that the cloud is to hear of; what stays on the device has nothing to tell.
    func markPending(_ item: inout LocalItem, at now: Timestamp) {
        item.pendingSince = item.isExcluded || item.isConflictSibling ? nil : now
    }
}

/// Where bytes come from that are not here, and who wants to know of changes. The sync engine is one.
package protocol ContentSource: Sendable {
    /// Opens the blob of a file that is not whole, with the download that fills it. Each call needs one ``closeIncomplete(_:)``.
    /// `ESTALE`: the item is not what it was when it was read, say because its download has just ended.
    func openIncomplete(_ item: LocalItem) throws -> (bytes: SharedDescriptor, download: ContentDownload)
    func closeIncomplete(_ item: LocalItem)
    /// Returns once the row of a file whose download is complete says that its bytes are here; nothing writes to its blob after that.
    /// Throws what kept it from being noted.
    func finishDownload(of item: LocalItem) async throws
    /// Somebody reads from the file: fetch the rest too while it is open.
    func completeInBackground(_ item: LocalItem)
    /// How long a reader waits for bytes that do not come.
    var patience: Duration { get }
    /// Something changed that the cloud is to hear of.
    func localTreeChanged()
    /// The transfer of a file that is going on now, if any.
    func progress(of item: LocalItem) -> TransferFractions
    /// Carries out a command given through an extended attribute; returns when it is noted, not when it is done.
    func request(_ command: ContentCommand, for item: LocalItem) throws
    /// Evicts documents so that `bytes` more can be written, where the disk refused that. Answers whether it is worth another try.
    func makeRoom(for bytes: UInt64) -> Bool
    /// Whether the disk has so much room that programs may write to blobs without our seeing each write.
    var isRoomAmple: Bool { get }
    /// Programs begin to write to a blob like that.
    func kernelWrites()
    /// What the cloud has in all and free; nil where it has no limit or is not known.
    var cloudSpace: (total: UInt64, free: UInt64)? { get }
}

/// Of sources that evict nothing.
extension ContentSource {
    package func makeRoom(for bytes: UInt64) -> Bool { false }
    package var isRoomAmple: Bool { true }
    package func kernelWrites() {}
}

package enum ContentCommand: Sendable { case download, downloadWhenSpace, evict }

/// How far a transfer is, for status.
package struct TransferFractions: Sendable, Equatable {
    package var downloading: Double?
    package var uploading: Double?
    package init(downloading: Double? = nil, uploading: Double? = nil) {
        self.downloading = downloading
        self.uploading = uploading
    }
}

/// When files were last opened: gathered in memory, written together, so that reading costs no transaction.
final class UsageTimes: Sendable {
    private let times = Mutex<[NodeID: Timestamp]>([:])

    func note(_ node: NodeID, _ time: Timestamp) {
        times.withLock { times in
            // Bounded: what does not fit is merely a little less precise to the eviction plan.
            if times.count < 4096 || times[node] != nil { times[node] = time }
        }
    }

    func take() -> [NodeID: Timestamp] {
        times.withLock { times in
            defer { times = [:] }
            return times
        }
    }
}
