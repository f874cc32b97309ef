import Basics
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Frees space on this device's disk by evicting files stored in the cloud, before or when it is full.
package final class RoomMaker: Sendable {
    /// The number of free bytes required for direct writes by the kernel: this process cannot retry a write refused to
    /// the kernel. A watcher checks every ``watchPeriod`` during such writes, so this suffices for 3 GB/s.
    private static let spare: UInt64 = 64 << 20
    static let watchPeriod = Duration.milliseconds(20)

    /// The number of files the disk should still be able to hold after refusing a write; some file systems have room
    /// for few (inodes).
    private static let spareFiles: UInt64 = 64

    private struct State {
        /// The database's write count and the time when nothing could be evicted.
        var vain: (writes: UInt64, at: Timestamp)?
        var isFull = false
    }

    private let context: EngineContext
    private let evictor: Evictor
    private let limit: Mutex<CacheLimits>
    private var limits: CacheLimits { limit.withLock { $0 } }
    /// The upper bound for local bytes of documents; nil for none. A new bound applies at the next look, at most a
    /// second away.
    package var cacheSize: UInt64? {
        get { limits.size }
        set { limit.withLock { $0.size = newValue } }
    }
    /// Serialises callers: the next caller finds the freed room.
    private let making = RankedMutex(.makingRoom, ())
    private let state = RankedMutex(.leaf, State())
    let bell = Wakeup()

    init(_ context: EngineContext, _ evictor: Evictor, _ limits: CacheLimits) {
        self.context = context
        self.evictor = evictor
        limit = Mutex(limits)
    }

    private var spare: UInt64 { max(limits.minimumFree / 2, Self.spare) }

    /// Whether there is enough room for programs to write without passing each write through this process.
    package var isAmple: Bool {
        do { return try context.content.freeBytes() >= spare } catch { return false }
    }

    /// Returns how many bytes may be downloaded without a request.
    func bytesToSpare() throws -> UInt64 {
        try limits.spare(
            present: context.metadata.read { try $0.transfers.presentBytes() }, free: context.content.freeBytes())
    }

    /// Whether the last request for space on this device's disk failed.
    package var isFull: Bool { state.withLock { $0.isFull } }

    /// Notes that the kernel begins direct writes to a blob.
    package func kernelWrites() { bell.ring() }

    /// Evicts files so that `bytes` more can be written, and some in reserve. Call it when the disk refused a write of
    /// that size, without holding a lock that an open acquires.
    ///
    /// - Returns: Whether a retry is worthwhile.
    package func make(for bytes: UInt64) -> Bool {
        making.withLock { _ in
            do {
                let isMade = try makeOnce(for: bytes)
                if !isMade { noteFull() }
                return isMade
            } catch {
                context.log.warning("could not free space", metadata: ["error": "\(error)"])
                noteFull()
                return false
            }
        }
    }

    private func makeOnce(for bytes: UInt64) throws -> Bool {
        let (writes, now) = (context.metadata.writes, context.time.now())
        let isVain = state.withLock { $0.vain.map { $0.writes == writes && now < $0.at.adding(.seconds(1)) } ?? false }
        guard !isVain else { return false }
        // Frees more room than was refused, so that not every block needs a call.
        let (wanted, isTooMuch) = bytes.addingReportingOverflow(max(limits.minimumFree, 8 << 20))
        guard !isTooMuch else { return false }
        if let hasRoom = try makeRoomForFiles() { return hasRoom }
        let free = try context.content.freeBytes()
        // A concurrent caller has freed the room.
        guard free < wanted else { return true }
        // Nothing is evicted for a write that would not fit anyway.
        let needed = max(bytes, 64 << 10)
        guard try free >= needed || evictor.canEvict(bytes: needed - free) else {
            state.withLock { $0.vain = (writes, now) }
            return false
        }
        let count = try evictor.evict(bytes: wanted - free)
        settle()
        if count == 0 { state.withLock { $0.vain = (context.metadata.writes, now) } }
        return count > 0
    }

    /// Evicts files until the disk can hold some more, however small they are. Returns whether a retry is worthwhile; nil if the disk has room
    /// for files.
    private func makeRoomForFiles() throws -> Bool? {
        let free = try context.content.freeFiles()
        guard free < Self.spareFiles else { return nil }
        let count = try evictor.evict(files: Int(Self.spareFiles - free))
        settle()
        guard count == 0 else { return true }
        guard free == 0 else { return nil }
        let now = context.time.now()
        state.withLock { $0.vain = (context.metadata.writes, now) }
        return false
    }

    /// Whether the disk has room for bytes, and not for files.
    package var lacksFiles: Bool {
        // An unknown count does not indicate a shortage.
        do { return try context.content.freeFiles() == 0 } catch { return false }
    }

    /// Keeps the configured amount of disk space free, and more during direct writes by the kernel.
    func keep(isWritten: Bool) throws {
        var limits = limits
        if isWritten { limits.minimumFree = max(limits.minimumFree, spare) }
        guard try evictor.enforce(limits) > 0 else { return }
        settle()
    }

    /// Removes the evicted blobs immediately and refills the database's reserve before any other writer takes the
    /// space.
    private func settle() {
        context.mounted.takeAwayBlobs()
        context.metadata.replenishReserve()
    }

    // MARK: Full disk

    /// Notes that a local write found no space.
    package func noteFull() {
        let isNew = state.withLock { state in
            defer { state.isFull = true }
            return !state.isFull
        }
        if isNew { context.log.warning("the disk of this device is full") }
    }

    /// Checks whether there is room again.
    func lookAgain() {
        guard isFull else { return }
        do {
            context.metadata.replenishReserve()
            try context.metadata.write { _ in }
            guard try context.content.freeBytes() >= 1 << 20, try context.content.freeFiles() > 0 else { return }
        } catch { return }
        state.withLock { $0.isFull = false }
        context.log.notice("the disk of this device has space again")
    }

    /// Runs space-consuming work, and once more after freeing room if the disk was full.
    func making<T>(for bytes: UInt64, _ work: () async throws -> T) async throws -> T {
        do { return try await work() } catch  where Self.isOfFullDisk(error) {
            guard try await context.blocking({ self.make(for: bytes) }) else { throw error }
        }
        return try await work()
    }

    /// Returns whether an error means that this device's disk is full.
    package static func isOfFullDisk(_ error: any Error) -> Bool {
        switch error {
        case let error as MetadataError: error.code == .noSpace
        case let error as TransferError: error.code == .noSpace
        case let error as Errno: error.isOfFullDisk
        default: false
        }
    }
}
