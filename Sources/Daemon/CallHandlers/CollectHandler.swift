import Basics
import CloudModel
import CloudStorage
import ControlServer
import DaemonProtocol
import LocalMetadata
import Logging
import Maintenance
import Sync
import Synchronization

/// Collects garbage in the cloud, on request and automatically once a day.
struct CollectHandler: NounHandler {
    let device: MountedDevice
    let progress: DaemonProgress
    let sync: SyncHandler
    let logger: Logger
    /// How long a step waits for the log.
    private static let patience = 300.0
    /// How often an idle device checks for due containers.
    private static let pause = Duration.seconds(3_600)

    func register(in router: inout CallRouter) {
        router.on(collect)
    }

    /// Collects every container. An error does not stop the remaining containers. Collections do not run concurrently.
    func collect(_ request: CollectRequest) async throws -> CollectResponse {
        guard let cloud = device.engine.context.backend.facet((any ChunkCollecting).self) else {
            throw DaemonFailure(
                .unsupported, "servers clean up on their own: there is nothing to do here",
                advice: "Its owner can run `ubiquity-server collect`.")
        }
        try begin()
        defer { progress.collection.withLock { $0 = nil } }
        var collected: [CollectedContainer] = []
        for container in try await containers() {
            let outcome = try await collect(container, in: cloud, request.dryRun ? .dryRun : .requested)
            // A removed container is collected like any container, until nothing of it is left.
            let isLeft = outcome.storedChunks > 0 || outcome.removedChunks > 0 || outcome.failure != nil
            let isShown = try await blocking { [self] in try device.metadata.read { try $0.local.isShown(container) } }
            if isLeft || isShown { collected.append(outcome) }
        }
        return CollectResponse(containers: collected)
    }

    /// Looks for garbage once a day while no uploads are pending, and collects it where it is more than a fifth. Runs
    /// until its task is cancelled.
    func collectByItself() async {
        guard let cloud = device.engine.context.backend.facet((any ChunkCollecting).self) else { return }
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: Self.pause)
                try await look(in: cloud)
            } catch { logger.debug("no garbage was collected", metadata: ["why": "\(error)"]) }
        }
    }

    private func look(in cloud: any ChunkCollecting) async throws {
        let engine = device.engine
        guard engine.state == .online, engine.transfers.isEmpty else { return }
        for container in try await containers() {
            let isDue = try await blocking { [self] in
                guard try device.metadata.read({ try !$0.pending.hasAny() }) else { return false }
                return try device.metadata.write {
                    try CollectionSchedule.begin(container.id, now: engine.context.time.now(), $0)
                }
            }
            guard isDue else { continue }
            try begin()
            defer { progress.collection.withLock { $0 = nil } }
            let collected = try await collect(container, in: cloud, .automatic)
            if collected.removedChunks > 0 {
                logger.notice(
                    "collected garbage in the cloud",
                    metadata: ["container": "\(container.name)", "bytes": "\(collected.removedBytes)"])
            }
            if let failure = collected.failure {
                logger.warning(
                    "garbage could not be collected",
                    metadata: ["container": "\(container.name)", "why": "\(failure)"])
            }
        }
    }

    private func containers() async throws -> [LocalContainer] {
        try await blocking { [self] in try device.metadata.read { try $0.containers().filter(\.isInCloud) } }
    }

    private func collect(
        _ container: LocalContainer, in cloud: any ChunkCollecting, _ purpose: CollectionPlan.Purpose
    ) async throws -> CollectedContainer {
        let collector = CloudCollector(device.engine.context, cloud, container) { [sync] in
            try await sync.followCloud(within: Self.patience) {
                DaemonFailure(.timedOut, "the cloud could not be followed", advice: "Collect again later.")
            }
        } onProgress: { [progress] now in
            progress.collection.withLock { $0 = CollectionStatus(now) }
        }
        do { return CollectedContainer(try await collector.run(purpose)) } catch is CancellationError {
            throw CancellationError()
        } catch { return CollectedContainer(container: container.name.description, failure: Self.failure(error)) }
    }

    static func failure(_ error: any Error) -> DaemonFailure {
        switch error {
        case let error as DaemonFailure: error
        case let error as CollectionError:
            DaemonFailure(error.code == .busy ? .busy : .damaged, sentences: error.message)
        case let error as CloudError:
            DaemonFailure(error.code == .offline ? .offline : .failed, sentences: error.message)
        default: DaemonFailure(.failed, "\(error)")
        }
    }

    private func begin() throws(DaemonFailure) {
        let isFree = progress.collection.withLock { collection in
            guard collection == nil else { return false }
            collection = CollectionStatus(container: "", stage: "following", done: 0)
            return true
        }
        guard isFree else {
            throw DaemonFailure(
                .busy, "a collection runs already", path: configuration.mountPoint, advice: "Wait until it has ended.")
        }
    }
}

extension CollectionStatus {
    fileprivate init(_ progress: CollectionProgress) {
        self.init(container: progress.container.description, stage: progress.stage.rawValue, done: progress.done)
    }
}

extension CollectedContainer {
    fileprivate init(_ report: CollectionReport) {
        let tally = report.tally
        self.init(
            container: report.container.description, storedChunks: tally.storedChunks, storedBytes: tally.storedBytes,
            garbageChunks: tally.garbageChunks, garbageBytes: tally.garbageBytes, removedChunks: report.removedChunks,
            removedBytes: report.removedBytes, proposedSince: report.proposedSince.map(WireTime.init))
    }
}
