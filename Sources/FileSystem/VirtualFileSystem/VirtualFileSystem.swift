package import Basics
package import CloudModel
import Glibc
package import LocalContent
package import LocalMetadata
package import Logging
import Synchronization

/// Implements the file operations on documents, containers and their trees.
///
/// The mount shows the *local* tree of the metadata database, and a blob for each file with local bytes. An operation
/// reads or changes rows in one transaction, and the blob beside it. Missing bytes are fetched by a ``ContentSource``,
/// such as the sync engine.
///
/// Invariants:
/// - A change is committed before its operation returns, so it survives the end of the process; after fsync(2) it
///   survives a loss of power.
/// - A row is durably marked as being written (`isWriting`) before the first byte of its blob can change.
/// - A name whose creation failed does not exist: everything that can fail precedes the commit.
/// - The observer is notified of a name while ``naming`` is held, so ``withNamesFrozen(_:)`` sees the observer's
///   knowledge.
/// - A blob is removed only when no row names it and no handle has it open.
///
/// Locks are acquired in this order: `gate`, the state of an open file, `naming`, the database, the table of open files
/// (docs/CONCURRENCY.md). Operations are synchronous and safe from any thread; only waiting for bytes suspends
/// (``wait(for:in:)``), and holds no lock meanwhile.
///
/// It must not use a kernel interface or the network, decide about syncing, or wait for the cloud in a synchronous
/// operation.
package final class VirtualFileSystem: Sendable {
    let metadata: MetadataDatabase
    let content: ContentStore
    package let source: any ContentSource
    let observer: (any TreeObserver)?
    let time: any TimeSource
    let exclusions: ExclusionRules
    let ignoring = IgnoreRules()
    let owner: (user: UInt32, group: UInt32)
    /// Returns the id under which this device, as the author of contents, writes to logs.
    let device: @Sendable () -> DeviceID
    /// Creates the ids of new items.
    let newID: @Sendable () -> ItemID
    let log: Logger
    let startedAt: Timestamp
    let openFiles = OpenFiles()
    let gate = TreeGate(.tree)
    /// Shared: changing names, from before the transaction until the observer has been notified. Exclusive: reading
    /// names about which the observer has been notified completely. Below ``gate`` in the lock order.
    let naming = TreeGate(.names)
    let removed = RemovedItems()
    let staleNames = StaleNames()
    package let unreadable = UnreadableItems()
    let usage = UsageTimes()
    /// Programs request several attributes of an item in succession.
    let statuses = SnapshotCache<NodeID, KnownStatus>(limit: 64)
    /// Emblems of quiet documents, by their paths: for a few file manager windows and their repeated requests.
    let quietEmblems = SnapshotCache<[UInt8], KnownEmblem>(limit: 4_000)
    let seenContents = Mutex(SeenContents<DocumentPlace>())
    /// The content last seen of documents that left their places unseen.
    let departedUnseen = Mutex(SeenContents<ItemID>())
    let recentDepartures = Mutex(RecentDepartures())
    let sparingLooks = Mutex(SparingLooks())
    /// The number of handles with direct kernel writes.
    private let kernelWriterCount = Atomic<Int>(0)
    /// Removes the blobs of nameless items.
    let removal: BlobRemoval

    /// When the rows of closed files are updated.
    let closing: CloseRecording
    let recorder = RankedMutex(.leaf, EditRecorder())
    /// Shared: recording closes with other changes, from before the transaction until the observer has been notified.
    /// Exclusive: waiting for that. Below ``naming`` in the lock order.
    let recording = TreeGate(.closes)
    /// Closed files whose rows do not say so yet because the database refused it; each holds a claim.
    let unfinished = Mutex<[OpenFile]>([])
    /// Held while blobs are rewritten: two copies of a blob would use the same file name.
    let renewing = RankedMutex(.renewing, ())

    package init(
        metadata: MetadataDatabase, content: ContentStore, source: any ContentSource,
        observer: (any TreeObserver)? = nil, time: any TimeSource,
        owner: (user: UInt32, group: UInt32), device: @escaping @Sendable () -> DeviceID,
        exclusions: ExclusionRules = .standard,
        newID: (@Sendable () -> ItemID)? = nil, closing: CloseRecording = .immediate,
        background: Background? = nil, log: Logger
    ) {
        self.closing = closing
        self.metadata = metadata
        self.content = content
        self.source = source
        self.observer = observer
        self.time = time
        self.exclusions = exclusions
        self.owner = owner
        self.device = device
        self.newID = newID ?? { ItemID.made(at: time.now()) }
        self.log = log
        startedAt = time.now()
        removal = BlobRemoval(content, metadata, background: background, log: log)
    }

    /// The cost of all requests served so far, by the names of the kinds.
    package var requestCosts: [String: UInt64] {
        Dictionary(
            uniqueKeysWithValues: RequestCosts.Kind.allCases.map { kind in
                ("\(kind)", metadata.costs[kind] + content.costs[kind])
            })
    }

    package var kernelWriters: Int { kernelWriterCount.load(ordering: .relaxed) }

    /// Counts handles with direct kernel writes: while there are any, some room is kept on the disk.
    package func noteKernelWriter(_ change: Int) {
        kernelWriterCount.add(change, ordering: .relaxed)
        if change > 0 { source.kernelWrites() }
    }

    /// Runs a change in need of disk space. If the disk is full, evicts uploaded documents and retries, as long as any
    /// were evicted. Must not be called under a lock acquired by an open.
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

    /// Does the same for waiting work.
    package func makingRoomLater<T>(_ change: () async throws -> T) async throws -> T {
        for _ in 0..<Self.tries {
            do { return try await change() } catch {
                guard FileSystemError.isOfFullDisk(error), source.makeRoom(for: 0) else { throw error }
            }
        }
        return try await change()
    }

    /// More than 1, since others may use the freed room.
    private static let tries = 8

    /// Returns the row of an existing item; throws `ENOENT` otherwise.
    func existing(_ node: NodeID, _ transaction: MetadataTransaction) throws -> LocalItem {
        guard let item = try transaction.local.item(node) else { throw Errno(ENOENT) }
        return item
    }

    /// Returns the row of a folder whose entries are to change.
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
}

extension LocalItem {
    /// Marks a change to be synced; a local-only item is not marked.
    mutating func markPending(at now: Timestamp) { pendingSince = isExcluded || isConflictSibling ? nil : now }
}
