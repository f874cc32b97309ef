import Basics
import CloudModel
package import CloudStorage
import ContainerLog
package import LocalMetadata
import Logging
package import Sync

/// Removes unneeded chunks from a cloud without its own garbage collection, container by container: carries out the
/// decisions of ``CollectionPlan``.
///
/// All state is in the log. A run may end between any two steps, by cancellation or a crash, and the next run of any
/// device continues there. It removes only keys of a list whose `begun` it has folded, and none whose chunk is needed
/// by then.
package struct CloudCollector: Sendable {
    let context: EngineContext
    let cloud: any ChunkCollecting
    let container: LocalContainer
    private let follow: @Sendable () async throws -> Void
    private let onProgress: @Sendable (CollectionProgress) -> Void
    /// Chunks listed, and removed, at a time.
    private static let page = 1_000
    /// How often a step is offered to the log, which takes a single batch of this device at a time.
    private static let attempts = 20

    /// - Parameter follow: Sends the waiting batch, and returns once the log is folded to its current end.
    package init(
        _ context: EngineContext, _ cloud: any ChunkCollecting, _ container: LocalContainer,
        follow: @escaping @Sendable () async throws -> Void,
        onProgress: @escaping @Sendable (CollectionProgress) -> Void = { _ in }
    ) {
        self.context = context
        self.cloud = cloud
        self.container = container
        self.follow = follow
        self.onProgress = onProgress
    }

    /// Carries out all steps that are possible now.
    ///
    /// - Throws: ``CollectionError``, errors of the cloud and the database, and `CancellationError`.
    package func run(_ purpose: CollectionPlan.Purpose) async throws -> CollectionReport {
        var plan = CollectionPlan(purpose)
        var report = CollectionReport(container.name)
        var garbage = Garbage()
        var event = try await folded(notes: purpose != .dryRun)
        while true {
            try Task.checkCancellation()
            switch plan.handle(event) {
            case .begin(let epoch):
                try await append(.begun(epoch: epoch))
                event = .began(epoch)
            case .remove(let epoch):
                try await remove(epoch, &report)
                event = .removed(epoch)
            case .finish(let epoch):
                try await append(.done(epoch: epoch))
                event = .finished(epoch)
            case .measure:
                garbage = try await measure(&report)
                event = .measured(report.tally)
            case .propose:
                report.hasProposed = try await propose(garbage)
                event = .proposed
            case .end:
                let seen = try await seen(notes: report.hasProposed)
                report.proposedSince = seen.collections.filter { $0.phase == .proposed }.compactMap {
                    seen.times[$0.epoch]
                }.min()
                return report
            }
        }
    }

    // MARK: The log

    private func folded(notes: Bool) async throws -> CollectionPlan.Event {
        tell(.following, 0)
        try await follow()
        let seen = try await seen(notes: notes)
        return .folded(seen.collections, proposed: seen.times, now: context.time.now())
    }

    /// Returns the open collections and when this device first saw each. Records the time for new ones.
    private func seen(
        notes: Bool
    ) async throws -> (collections: [ProposedCollection], times: [UInt64: Timestamp]) {
        let (context, id) = (context, container.id)
        let now = context.time.now()
        return try await context.blocking {
            var times: [UInt64: Timestamp] = [:]
            let open = try context.metadata.read { transaction in
                let open = try transaction.collections.all(in: id).filter { $0.phase != .done }
                for collection in open {
                    times[collection.epoch] = try transaction.firstSeen(collection.epoch, in: id)
                }
                return open
            }
            // A time of the future was noted before the clock was set back.
            for collection in open where times[collection.epoch].map({ $0 > now }) ?? true {
                times[collection.epoch] = now
                guard notes else { continue }
                try context.metadata.write(.freeing) { try $0.setFirstSeen(now, of: collection.epoch, in: id) }
            }
            return (open, times)
        }
    }

    /// Appends a step, unless the log has it.
    ///
    /// - Returns: False if a different device proposed that epoch first.
    @discardableResult
    private func append(_ step: CollectionStep) async throws -> Bool {
        for _ in 0..<Self.attempts {
            try Task.checkCancellation()
            try await follow()
            let (context, container) = (context, container)
            let isInLog = try await context.blocking {
                try context.metadata.write(.freeing) { try $0.store(step, in: container.id, context) }
            }
            if let isInLog { return isInLog }
            try await context.blocking { try context.metadata.makeDurable() }
        }
        throw CollectionError(
            code: .busy,
            message: "Other changes of this device kept the log of \(container.name) busy. Collect again later.")
    }

    private func propose(_ garbage: Garbage) async throws -> Bool {
        guard let list = CollectionList(garbage.keys) else { return false }
        tell(.proposing, UInt64(garbage.keys.count))
        let content = try await lists.put(list, epoch: garbage.newest)
        return try await append(.proposed(epoch: garbage.newest + 1, list: content))
    }

    // MARK: The cloud

    private var lists: CollectionListContent {
        CollectionListContent(context: context, cloud: cloud, container: container.name)
    }

    /// The unneeded keys, and the newest proposed epoch of the tree they were compared with.
    private struct Garbage {
        var newest: UInt64 = 0
        var keys: [ChunkKey] = []
    }

    private func measure(_ report: inout CollectionReport) async throws -> Garbage {
        try await follow()
        let (needed, epochs) = try await needs { try $0.collectionEpochs() }
        var garbage = Garbage(newest: epochs.proposed)
        var tally = CollectionTally()
        try await forEachPage(.listing) { page in
            for chunk in page {
                tally.storedChunks += 1
                tally.storedBytes = tally.storedBytes.saturatingSum(chunk.bytes)
                guard chunk.key.epoch <= epochs.proposed, !needed.contains(chunk.key.id) else { continue }
                tally.garbageChunks += 1
                tally.garbageBytes = tally.garbageBytes.saturatingSum(chunk.bytes)
                // The rest is for the next collection.
                if garbage.keys.count < CollectionList.maximumKeys { garbage.keys.append(chunk.key) }
            }
        }
        report.tally = tally
        return garbage
    }

    /// Removes the keys of a list that has begun. Chunks needed before `begun` are in the tree, and stay; later needs
    /// rely on no key of the list.
    private func remove(_ epoch: UInt64, _ report: inout CollectionReport) async throws {
        let (needed, collection) = try await needs { try $0.collection(epoch) }
        // A different device may have finished it.
        guard let collection, collection.phase == .begun else { return }
        guard let list = try await lists.read(collection.list, of: epoch) else {
            return context.log.warning(
                "the list of a collection can not be read, so nothing of it is removed",
                metadata: ["container": "\(container.name)", "epoch": "\(epoch)"])
        }
        var (chunks, bytes): (UInt64, UInt64) = (0, 0)
        try await forEachPage(.removing) { page in
            let garbage = page.filter { list.contains($0.key) && !needed.contains($0.key.id) }
            guard !garbage.isEmpty else { return }
            try await cloud.remove(garbage.map(\.key), in: container.name)
            chunks += UInt64(garbage.count)
            bytes = garbage.reduce(bytes) { $0.saturatingSum($1.bytes) }
        }
        report.removedChunks += chunks
        report.removedBytes = report.removedBytes.saturatingSum(bytes)
    }

    /// Returns the chunks needed by the folded log, and a fact of the same snapshot.
    private func needs<T: Sendable>(
        _ fact: @escaping @Sendable (RemoteTree) throws -> T
    ) async throws -> (NeededChunkSet, T) {
        let (context, container) = (context, container)
        let (contents, result) = try await context.blocking {
            try context.metadata.read { transaction in
                (
                    try CollectionNeeds(of: container.id, transaction),
                    try fact(transaction.remote(in: container.id))
                )
            }
        }
        tell(.reading, 0)
        let needed = try await contents.allChunks(context, in: container.name) { tell(.reading, $0) }
        return (needed, result)
    }

    /// Lists the container, a page at a time.
    private func forEachPage(
        _ stage: CollectionProgress.Stage, _ body: ([StoredChunk]) async throws -> Void
    ) async throws {
        var (last, done): (ChunkKey?, UInt64) = (nil, 0)
        while true {
            try Task.checkCancellation()
            tell(stage, done)
            let page = try await cloud.storedChunks(in: container.name, after: last, limit: Self.page)
            guard let end = page.last?.key else { return }
            // A listing that does not advance would never end.
            if let last, end <= last { return }
            try await body(page)
            (last, done) = (end, done + UInt64(page.count))
        }
    }

    private func tell(_ stage: CollectionProgress.Stage, _ done: UInt64) {
        onProgress(CollectionProgress(container: container.name, stage: stage, done: done))
    }
}
