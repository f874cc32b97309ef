package import Basics
package import CloudModel
package import CloudStorage
package import LocalContent
package import LocalMetadata
package import Logging
import Synchronization
package import Transfers

/// What the engine's parts share and tests replace.
package struct EngineContext: Sendable {
    package let metadata: MetadataDatabase
    package let content: ContentStore
    package let backend: any CloudBackend
    package let mounted: any MountedFiles
    package let transfers: TransferContext
    package let device: DeviceID
    package let deviceName: String
    package let time: any TimeSource
    package let newID: @Sendable () -> ItemID
    package let timing: EngineTiming
    /// From this size on other devices hear of a new file before its bytes are in the cloud.
    package let announcedSize: UInt64
    package let turns: any EnginePermits
    package let log: Logger
    package let pace = Pace()
    let waiting = PermitWaiters()
    let keyValuePace = KeyValueThrottle()

    /// How long a change rests before it is told; no time at all while somebody waits for it.
    var settle: Duration { pace.isHurried ? .zero : timing.settle }
    /// How long changes are gathered into one batch; no time at all while somebody waits for it.
    var gather: Duration { pace.isHurried ? .zero : timing.gather }

    /// How long small uploads go ahead of what is told.
    var lead: Duration { pace.isHurried ? .zero : timing.lead }

    package init(
        metadata: MetadataDatabase, content: ContentStore, backend: any CloudBackend, mounted: any MountedFiles,
        transfers: TransferContext, device: DeviceID, deviceName: String, time: any TimeSource,
        newID: @escaping @Sendable () -> ItemID = ItemID.random, timing: EngineTiming = EngineTiming(),
        announcedSize: UInt64 = 4 << 20, turns: any EnginePermits = UncontendedPermits(), log: Logger
    ) {
        self.metadata = metadata
        self.content = content
        self.backend = backend
        self.mounted = mounted
        self.transfers = transfers
        self.device = device
        self.deviceName = deviceName
        self.time = time
        self.newID = newID
        self.timing = timing
        self.announcedSize = announcedSize
        self.turns = turns
        self.log = log
    }

    var clock: any Clock<Duration> { transfers.clock }

    /// Runs blocking database or disk work off the cooperative pool.
    package func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await transfers.pool.run { () throws(any Error) -> T in try work() }
    }

    /// A change further ahead than this was noted by a clock that has been set back since.
    private static let furthestAhead = Duration.seconds(60)

    /// Brings what was noted before the clock was set back to the present, where it can settle.
    func followClock() throws {
        let now = time.now()
        let ahead = now.adding(Self.furthestAhead)
        guard try metadata.read({ try $0.hasChanges(after: ahead) }) else { return }
        try metadata.write(.uploading) { try $0.bringForward(changesAfter: ahead, to: now) }
    }

    /// Changes the shown tree in one transaction while no file can become open, then does what follows from it outside.
    ///
    /// - Parameters:
    ///   - use: What it does to the space of the disk.
    ///   - isFree: Goes on only if nobody coordinates by then; ``PermitNeeded`` otherwise.
    package func changeTree<T>(
        _ use: SpaceUse = .ordinary, ifFree isFree: Bool = false,
        _ body: (MetadataTransaction, inout TreeEffects) throws -> T
    ) throws -> T {
        var effects = TreeEffects()
        let result = try mounted.exclusively {
            // No claim begins while the gate is held.
            if isFree, !turns.areFree { throw PermitNeeded() }
            let result = try metadata.write(use) { transaction in
                effects = TreeEffects()
                return try body(transaction, &effects)
            }
            mounted.detach(effects.removed)
            return result
        }
        if !effects.isEmpty { mounted.apply(effects) }
        return result
    }
}

/// How long the engine lets things rest.
package struct EngineTiming: Sendable {
    /// After the last close of a file or the last change of a name: long enough for a program to finish its save, short enough to be
    /// seen elsewhere within a second.
    package var settle: Duration = .milliseconds(250)
    /// After the last write to a file that stays open (databases, logs).
    package var settleOpen: Duration = .seconds(2)
    /// From one batch, or one group of uploads, to the next while changes keep coming: each costs a few flushes of the disk, however
    /// little is in it.
    package var gather: Duration = .milliseconds(250)
    /// Between the upload of what has settled and the batch that tells of it: two of it are waited after ``settle``, and one batch is saved.
    package var lead: Duration = .milliseconds(20)
    /// How long a reader waits for bytes that do not come.
    package var patience: Duration = Patience.limit
    /// Between looks at a cloud that can not tell of changes by itself.
    package var poll: Duration = .seconds(30)
    /// Between looks at open files, use times and the cache's size.
    package var maintenance: Duration = .seconds(1)

    package init() {}
}

/// What the cloud is to this device now.
package enum CloudState: Sendable, Equatable {
    case connecting
    case online
    case offline(String)
    /// Nothing will change by waiting: the message says what to do.
    case stopped(String)
}

/// Whether somebody waits for everything to be in the cloud.
package final class Pace: Sendable {
    private let waiting = Mutex(0)
    var isHurried: Bool { waiting.withLock { $0 > 0 } }
    package func hurry() { waiting.withLock { $0 += 1 } }
    package func relax() { waiting.withLock { $0 -= 1 } }
}
