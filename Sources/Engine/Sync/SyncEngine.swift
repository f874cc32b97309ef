import Basics
import CloudModel
package import CloudStorage
import ContainerLog
package import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Runs a device's sync: sends local changes to the logs of the cloud, follows remote changes, and transfers bytes.
///
/// Concept: the engine keeps no list of work. The trees in the database determine the work (``Reconciler``), so after a
/// crash it continues from their state. Its loops only decide when to run a round: `log` (each round reads and appends,
/// container by container), an upload loop for each size of file, `download`, and maintenance once a second. Each waits
/// for its ``Wakeup``, for ``EngineTiming/poll`` at most.
///
/// Invariants:
/// - A fact is in the database, and durable where a later step depends on it, before anything acts on it.
/// - An edit counts as uploaded only after this device has read it from the log; until then its bytes stay.
/// - A batch is stored before it is appended. After a crash the same bytes are appended again, and the log recognises
///   them as the same batch.
/// - A failure is retried with back-off and shown in ``state``; a failing container does not stop the rest.
///
/// It must not hold a lock or a transaction across `await`, block a thread of the cooperative pool
/// (``EngineContext/blocking(_:)``), change the shown tree other than by ``EngineContext/changeTree(_:ifFree:_:)``, or
/// wait for a program without an upper bound.
package final class SyncEngine: Sendable {
    package let context: EngineContext
    package let downloads: ContentService
    package let evictor: Evictor
    private let sealer: EditSealer
    private let failedDownloads: FailedDownloads
    package let containerErrors = ContainerErrors()
    let uploads: UploadService
    private let queue: DownloadQueue
    let outbox: Outbox
    let follower: LogFollower
    /// Frees space on a full or nearly full disk.
    package let room: RoomMaker
    private let versions: VersionLimits
    let logBell = Wakeup()
    let localBell = Wakeup()
    private let changeCount = Atomic<UInt64>(0)
    let uploadBells = Dictionary(uniqueKeysWithValues: UploadService.Lane.allCases.map { ($0, Wakeup()) })
    let downloadBell = Wakeup()
    let spaceBell = Wakeup()
    let shared = RankedMutex(.leaf, Shared())

    struct Shared {
        var state = CloudState.connecting
        /// The kind of the last error of the cloud.
        var cause: CloudError.Code?
        var refusal: WriteRefusal?
        var isListStale = true
        var space: CloudSpace?
        var rounds: UInt64 = 0
        /// Containers whose logs were read to their end at least once.
        var seen: Set<ContainerID> = []
        var whenRead: (@Sendable () -> Void)?
    }

    package init(_ context: EngineContext, limits: CacheLimits, versions: VersionLimits = VersionLimits()) {
        self.context = context
        self.versions = versions
        downloads = ContentService(context)
        let evictor = Evictor(context)
        self.evictor = evictor
        room = RoomMaker(context, evictor, limits)
        sealer = EditSealer(context)
        failedDownloads = FailedDownloads(context)
        uploads = UploadService(context, uploaded: logBell)
        queue = DownloadQueue(context, downloads, room)
        outbox = Outbox(context)
        follower = LogFollower(context)
        let space = Self.lastSpace(in: context.metadata)
        shared.withLock { $0.space = space }
        apply(TransferRates(in: context.metadata, log: context.log))
        recallDivergences()
    }

    package var state: CloudState { shared.withLock { $0.state } }
    /// The state, with the kind of the last error of the cloud.
    package var condition: (state: CloudState, cause: CloudError.Code?) {
        shared.withLock { ($0.state, $0.cause) }
    }

    /// Notes that the cloud was switched off or on for this device, so that the state is correct immediately instead of
    /// with the next round.
    package func cloudSwitched(isOffline: Bool) {
        shared.withLock { $0.state = isOffline ? .offline(SwitchableCloud.refusal.message) : .connecting }
        askCloud()
        localTreeChanged()
    }

    /// The calls of ``localTreeChanged()`` so far.
    var changes: UInt64 { changeCount.load(ordering: .relaxed) }

    /// Notes a program's change, to be sent once it has settled.
    package func localTreeChanged() {
        changeCount.add(1, ordering: .relaxed)
        localBell.ring()
    }

    /// The number of successful rounds of the log. A change in the cloud before the start of the next round is known
    /// after that round.
    package var rounds: UInt64 { shared.withLock { $0.rounds } }

    /// Sets a function to be called when a container's log is first read to its end.
    package func whenContainerIsRead(_ body: @escaping @Sendable () -> Void) { shared.withLock { $0.whenRead = body } }

    package func downloadsWanted() { downloadBell.ring() }

    package func uploadProgress(of item: LocalItem) -> Double? { uploads.progress(of: item.node) }

    /// Notes that the cloud was followed to its end: downloads that failed while it was unreachable are retried.
    package func cloudFollowed() { downloads.retryNow() }

    /// Begins a round of ``rounds`` now.
    package func askCloud() { logBell.ring() }

    /// The active transfers: item, whether it is an upload, bytes done, and total bytes.
    package var transfers: [(item: LocalItem, isUpload: Bool, done: UInt64, total: UInt64)] {
        uploads.all.map { ($0.item, true, $0.bytes, $0.item.size) }
            + downloads.all.map { ($0.item, false, $0.progress.presentBytes, $0.progress.size) }
    }

    /// Runs until its task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watchCloud() }
            group.addTask {
                await self.loop("log", self.logBell) { _ = try await self.spaced { try await self.syncLogs() } }
            }
            for (lane, bell) in self.uploadBells {
                group.addTask { await self.loop("upload of \(lane) files", bell) { try await self.upload(lane) } }
            }
            group.addTask { await self.watchLocalChanges() }
            group.addTask { await self.loop("download", self.downloadBell) { try await self.queue.run() } }
            group.addTask { await self.watchSpace() }
            group.addTask { await self.maintain() }
            group.addTask { await self.watchRoom() }
            group.addTask { await self.context.waiting.run() }
        }
    }

    // MARK: Loops

    private func loop(_ name: String, _ bell: Wakeup, _ round: @Sendable () async throws -> Void) async {
        let retry = RetryPolicy(longest: .seconds(30))
        var random = SystemRandomNumberGenerator()
        var failures = 0
        while !Task.isCancelled {
            var pause = context.timing.poll
            do {
                try await round()
                failures = 0
            } catch {
                guard !Task.isCancelled else { return }
                note(error, in: name)
                failures += 1
                // An error only the user can fix is retried from time to time; the bell rings when the cloud is
                // reported to be back.
                pause = retry.pause(after: failures, Self.code(of: error), using: &random) ?? .seconds(60)
                // Only cancellation ends a sleep early, and then it ends the loop as well.
                try? await context.clock.sleep(for: min(pause, retry.floor(after: failures, Self.code(of: error))))
            }
            await bell.wait(atMost: pause, clock: context.clock)
        }
    }

    /// Runs a round. After a round that sent something to the cloud, the next begins no sooner than
    /// ``EngineTiming/gather`` after it began.
    func spaced(_ round: () async throws -> Bool) async throws -> Bool {
        try await RoundThrottle(clock: context.clock).beat(gap: context.gather, round)
    }

    private func watchCloud() async {
        guard let cloud = context.backend.facet((any ChangeNotifying).self) else { return }
        for await event in cloud.events() {
            switch event {
            case .containerChanged: break
            case .containersChanged: shared.withLock { $0.isListStale = true }
            case .reachabilityChanged:
                noteAccepted()
                downloads.retryNow()
                for bell in uploadBells.values { bell.ring() }
                downloadBell.ring()
            }
            logBell.ring()
        }
    }

    private func maintain() async {
        var rounds = 0
        while !Task.isCancelled {
            rounds += 1
            let isHourly = rounds % 3_600 == 1
            let savesFigures = rounds % 60 == 0
            // Only cancellation ends a sleep early, and then it ends the loop as well.
            try? await context.clock.sleep(for: context.timing.maintenance)
            do {
                try await context.blocking { [self] in
                    // Before all other consumers of space.
                    try room.keep(isWritten: context.mounted.isWrittenByKernel)
                    room.lookAgain()
                    context.mounted.noteIdleEdits(pause: context.timing.settleOpen)
                    defer { context.mounted.takeAwayBlobs() }
                    try context.mounted.saveUsage()
                    if savesFigures { try context.figures.save() }
                    context.loops.expire(at: context.time.now())
                    if isHourly {
                        let oldest = context.time.now().adding(.zero - max(versions.age, VersionLimits.keptAge))
                        try context.metadata.write(.freeing) {
                            try $0.history.expireVersions(before: oldest)
                            try $0.history.expireDeletions(before: oldest)
                        }
                    }
                    if try failedDownloads.look(after: context.timing.maintenance) { downloadBell.ring() }
                }
                try await sealer.look { self.uploads.progress(of: $0) != nil }
            } catch {
                if RoomMaker.isOfFullDisk(error) { room.noteFull() }
                context.log.warning("maintenance failed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Keeps some room during direct writes by the kernel.
    private func watchRoom() async {
        // A start on a full disk frees room before anything else.
        await keepRoom()
        while !Task.isCancelled {
            guard context.mounted.isWrittenByKernel else {
                await room.bell.wait(atMost: context.timing.poll, clock: context.clock)
                continue
            }
            await keepRoom()
            // Only cancellation ends it early, and then it ends the loop as well.
            try? await context.clock.sleep(for: RoomMaker.watchPeriod)
        }
    }

    private func keepRoom() async {
        do {
            try await context.blocking { [self] in try room.keep(isWritten: context.mounted.isWrittenByKernel) }
        } catch { context.log.warning("could not keep the disk free", metadata: ["error": "\(error)"]) }
    }

    private static func code(of error: any Error) -> CloudError.Code {
        if let error = error as? CloudError { return error.code }
        if let error = (error as? TransferError)?.cause as? CloudError { return error.code }
        return error is LogError ? .tooNew : .failed
    }

    private func note(_ error: any Error, in loop: String) {
        guard !RoomMaker.isOfFullDisk(error) else {
            // A full disk is no error of the cloud.
            context.log.debug("no room on this device", metadata: ["loop": "\(loop)", "why": "\(error)"])
            return room.noteFull()
        }
        guard !noteRefusal(error) else { return }
        let state: CloudState
        switch error {
        case let error as CloudError where error.code == .foreign || error.code == .tooNew:
            state = .stopped(error.message)
        case let error as LogError: state = .stopped("\(error)")
        case let error as CloudError: state = .offline(error.message)
        case let error as TransferError: state = .offline(error.message)
        default: state = .offline("\(error)")
        }
        let isNew = shared.withLock { shared in
            defer { (shared.state, shared.cause) = (state, Self.code(of: error)) }
            return shared.state != state
        }
        if isNew {
            context.log.notice("the cloud cannot be used now", metadata: ["loop": "\(loop)", "why": "\(error)"])
        }
    }
}
