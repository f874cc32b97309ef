import Basics
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Makes room on this device's disk by evicting what the cloud has, before or when it is full.
package final class RoomMaker: Sendable {
    /// Free bytes with which the kernel may write to blobs by itself: what it is refused cannot be tried again by us. A watcher looks
    /// every ``watchPeriod`` while it does, so this is for 3 GB/s.
    private static let spare: UInt64 = 64 << 20
    static let watchPeriod = Duration.milliseconds(20)

    private struct State {
        /// How often the database had been written to when nothing could be evicted, and when that was.
        var vain: (writes: UInt64, at: Timestamp)?
        var isFull = false
    }

    private let context: EngineContext
    private let evictor: Evictor
    private let limits: CacheLimits
    /// One caller at a time: the next one finds the room that was made.
    private let making = Mutex(())
    private let state = Mutex(State())
    let bell = Wakeup()

    init(_ context: EngineContext, _ evictor: Evictor, _ limits: CacheLimits) {
        self.context = context
        self.evictor = evictor
        self.limits = limits
    }

    private var spare: UInt64 { max(limits.minimumFree / 2, Self.spare) }

    /// Whether there is so much room that programs may write without our seeing it.
    package var isAmple: Bool {
        do { return try context.content.freeBytes() >= spare } catch { return false }
    }

    /// Bytes that may be downloaded without being asked for.
    func bytesToSpare() throws -> UInt64 {
        try limits.spare(
            present: context.metadata.read { try $0.transfers.presentBytes() }, free: context.content.freeBytes())
    }

    /// Whether the last that wanted space on this device's disk did not get it.
    package var isFull: Bool { state.withLock { $0.isFull } }

    /// The kernel begins to write to a blob by itself.
    package func kernelWrites() { bell.ring() }

    /// Evicts so that `bytes` more can be written, and some beside them. To be called when the disk refused that much; holds no lock
    /// that an open takes.
    ///
    /// - Returns: Whether it is worth another try.
    package func make(for bytes: UInt64) -> Bool {
        making.withLock { _ in
            do {
                let isMade = try makeOnce(for: bytes)
                if !isMade { noteFull() }
                return isMade
            } catch {
                context.log.warning("could not make room", metadata: ["error": "\(error)"])
                noteFull()
                return false
            }
        }
    }

    private func makeOnce(for bytes: UInt64) throws -> Bool {
        let (writes, now) = (context.metadata.writes, context.time.now())
        let isVain = state.withLock { $0.vain.map { $0.writes == writes && now < $0.at.adding(.seconds(1)) } ?? false }
        guard !isVain else { return false }
        // Room for more than what was refused, so that not each block has to ask.
        let (wanted, isTooMuch) = bytes.addingReportingOverflow(max(limits.minimumFree, 8 << 20))
        guard !isTooMuch else { return false }
        let free = try context.content.freeBytes()
        // Another caller has made room meanwhile.
        guard free < wanted else { return true }
        // Nothing is thrown away for what does not fit anyway.
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

    /// Keeps the disk as free as its user wants it, and a little more while the kernel writes by itself.
    func keep(isWritten: Bool) throws {
        var limits = limits
        if isWritten { limits.minimumFree = max(limits.minimumFree, spare) }
        guard try evictor.enforce(limits) > 0 else { return }
        settle()
    }

    /// The blobs go now, and the database gets its reserve back before anybody else takes the room.
    private func settle() {
        context.mounted.takeAwayBlobs()
        context.metadata.replenishReserve()
    }

    // MARK: Whether the disk is full

    /// Something on this device had no room.
    package func noteFull() {
        let isNews = state.withLock { state in
            defer { state.isFull = true }
            return !state.isFull
        }
        if isNews { context.log.warning("the disk of this device is full") }
    }

    /// Looks whether there is room again.
    func lookAgain() {
        guard isFull else { return }
        do {
            context.metadata.replenishReserve()
            try context.metadata.write { _ in }
            guard try context.content.freeBytes() >= 1 << 20 else { return }
        } catch { return }
        state.withLock { $0.isFull = false }
        context.log.notice("the disk of this device has room again")
    }

    /// Runs work that takes space, and once more after making room if the disk had none.
    func making<T>(for bytes: UInt64, _ work: () async throws -> T) async throws -> T {
        do { return try await work() } catch  where Self.isOfFullDisk(error) {
            guard try await context.blocking({ self.make(for: bytes) }) else { throw error }
        }
        return try await work()
    }

    /// Whether an error says that this device's disk has no room.
    package static func isOfFullDisk(_ error: any Error) -> Bool {
        switch error {
        case let error as MetadataError: error.code == .noSpace
        case let error as TransferError: error.code == .noSpace
        case let error as Errno: error.isOfFullDisk
        default: false
        }
    }
}
