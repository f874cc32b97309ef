package import Basics
package import CloudModel
package import CloudStorage
package import LocalContent
package import LocalMetadata
package import Logging
import Synchronization
package import Transfers

/// The engine's shared dependencies, replaceable by tests.
package struct EngineContext: Sendable {
    package let metadata: MetadataDatabase
    package let content: ContentStore
    package let backend: any CloudBackend
    package let mounted: any MountedFiles
    package let transfers: TransferContext
    package let identity: DeviceIdentity
    package let deviceName: String
    package let time: any TimeSource
    package let newID: @Sendable () -> ItemID
    package let timing: EngineTiming
    /// From this size on, a new file is announced to other devices before its bytes are in the cloud.
    package let announcedSize: UInt64
    package let permits: any EnginePermits
    /// Replaces the query for the cloud's contents, in tests without such a cloud.
    package var findStored: (@Sendable ([LocalItem]) -> Set<StoredContents.Place>)?
    package let log: Logger
    /// The log of uploads, downloads and evictions.
    package let transferLog: Logger
    package let urgency = Urgency()
    package let loops = RewriteLoops()
    package let namesakes: Namesakes
    package let figures: DownloadFigures
    package let metered = MeteredNetwork()
    let waiting = PermitWaiters()
    let keys: CollectionKeys
    let keyValueThrottle = KeyValueThrottle()

    /// How long a change rests before it is sent; zero while a client waits for it.
    var settle: Duration { urgency.isUrgent ? .zero : timing.settle }
    /// How long changes are gathered into a batch; zero while a client waits for it.
    var gather: Duration { urgency.isUrgent ? .zero : timing.gather }

    /// How far ahead of their batch small uploads start.
    var lead: Duration { urgency.isUrgent ? .zero : timing.lead }

    package init(
        metadata: MetadataDatabase, content: ContentStore, backend: any CloudBackend, mounted: any MountedFiles,
        transfers: TransferContext, identity: DeviceIdentity, deviceName: String, time: any TimeSource,
        newID: (@Sendable () -> ItemID)? = nil, timing: EngineTiming = EngineTiming(),
        announcedSize: UInt64 = 4 << 20, permits: any EnginePermits = UncontendedPermits(), log: Logger,
        transferLog: Logger? = nil
    ) {
        self.metadata = metadata
        self.content = content
        self.backend = backend
        self.mounted = mounted
        let keys = CollectionKeys(metadata: metadata, backend: backend, pool: transfers.pool, log: log)
        var transfers = transfers
        transfers.keys = keys
        self.transfers = transfers
        self.keys = keys
        self.identity = identity
        self.deviceName = deviceName
        self.time = time
        namesakes = Namesakes(since: time.now())
        figures = DownloadFigures(metadata, log: log) { CivilDate(localDayOf: time.now()).daysSince1970 }
        self.newID = newID ?? { ItemID.made(at: time.now()) }
        self.timing = timing
        self.announcedSize = announcedSize
        self.permits = permits
        self.log = log
        self.transferLog = transferLog ?? log
    }

    package var device: DeviceID { identity.current }

    var clock: any Clock<Duration> { transfers.clock }

    /// Runs blocking database or disk work off the cooperative pool.
    package func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await transfers.pool.run { () throws(any Error) -> T in try work() }
    }

    /// A change further in the future was recorded before the clock was set back.
    private static let furthestAhead = Duration.seconds(60)

    /// Moves times recorded before the clock was set back to the current time, so that the changes can settle.
    func followClock() throws {
        let now = time.now()
        let ahead = now.adding(Self.furthestAhead)
        guard try metadata.read({ try $0.pending.hasChanges(after: ahead) }) else { return }
        try metadata.write(.uploading) { try $0.pending.bringForward(changesAfter: ahead, to: now) }
    }

    /// Changes the shown tree in a single transaction while no file can become open, then performs the effects outside
    /// it.
    ///
    /// - Parameters:
    ///   - use: How the transaction affects the space of the disk.
    ///   - isFree: Whether to throw ``PermitNeeded`` if a program coordinates by then.
    package func changeTree<T>(
        _ use: SpaceUse = .ordinary, ifFree isFree: Bool = false,
        _ body: (MetadataTransaction, inout TreeEffects) throws -> T
    ) throws -> T {
        var effects = TreeEffects()
        let result = try mounted.exclusively {
            // No claim begins while the gate is held.
            if isFree, !permits.areFree { throw PermitNeeded() }
            let result = try metadata.write(use) { transaction in
                effects = TreeEffects()
                let result = try body(transaction, &effects)
                transaction.whenEnded { [mounted, effects] in if $0 { mounted.changed(effects) } }
                return result
            }
            mounted.detach(effects.removed)
            return result
        }
        if !effects.isEmpty { mounted.apply(effects) }
        return result
    }
}
